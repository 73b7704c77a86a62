// SPDX-License-Identifier: Apache-2.0
#include "collective/selection/check.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "collective/algorithms/allgather.hpp"
#include "collective/algorithms/bcast.hpp"
#include "collective/area/collective_area.hpp"
#include "collective/selection/comparison.hpp"
#include "collective/selection/one_caller.hpp"
#include "collective/steps/local_steps.hpp"
#include "communicator/communicator.hpp"
#include "datatype/predefined.hpp"
#include "execution/rank_local.hpp"
#include "protocol/checking/type_notes.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "world/job.hpp"

namespace lisle::collective {

namespace {

constexpr auto signature_bytes = static_cast<MPI_Count>(sizeof(call_signature));

call_signature read_signature(const std::byte *from) {
    call_signature said;
    std::memcpy(static_cast<void *>(&said), from, sizeof said);
    said.call[sizeof said.call - 1] = said.operation[sizeof said.operation - 1] = '\0';
    said.place[sizeof said.place - 1] = '\0';
    return said;
}

/// @param said what a rank has said @param other what rank 0 of the other group has, if there is one
template <class Said> std::optional<mpi_error> find_disagreement(MPI_Count ranks, const Said &said,
                                                                 const std::optional<call_signature> &other) {
    comparison compared{other.has_value()};
    for (MPI_Count rank = 0; rank < ranks; ++rank) {
        if (auto found = compared.add(static_cast<int>(rank), said(rank))) {
            return found;
        }
    }
    return other ? compared.add_other_group(*other) : std::nullopt;
}

} // namespace

call_check::call_check(const communicator &comm, const call_signature &own)
    : reports_{comm.rank() == 0}, executor_{plan_for(comm, own)} {}

namespace {
/// In the calling rank. Relaxed: its threads order their calls themselves, or are in no order.
const rank_local<std::atomic<std::int64_t>> latest;
} // namespace

std::int64_t take_last_entry() noexcept {
    return latest->exchange(0, std::memory_order_relaxed);
}

void note_last_entry(std::int64_t entry) noexcept {
    latest->store(entry, std::memory_order_relaxed);
}

schedule call_check::plan_for(const communicator &comm, call_signature own) {
    if (by_messages_alone()) {
        protocol::rank_type_notes->write_call(own.place);
    }
    own.node = this_rank().get_job().places().node_of(this_rank().number());
    own.entered = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
    schedule plan;
    const team team = own_group(comm);
    const typed_buffer mine = plan.packed(signature_bytes);
    std::memcpy(mine.address, &own, sizeof own);
    all_ = plan.packed(team.size * signature_bytes);
    allgather_bruck(plan, team, mine, {{all_.address, signature_bytes, byte_type()}, team.size});
    if (comm.inter()) {
        other_ = plan.packed(signature_bytes);
        if (comm.rank() == 0) {
            plan.send(mine, other_group(comm), 0);
            plan.await(plan.receive(other_, other_group(comm), 0));
        }
        bcast_binomial(plan, team, other_, 0);
    }
    return plan;
}

MPI_Count call_check::ranks() const noexcept {
    return all_.count / signature_bytes;
}

call_signature call_check::signature_of(MPI_Count rank) const {
    return read_signature(static_cast<const std::byte *>(all_.address) + rank * signature_bytes);
}

std::int64_t call_check::last_entry() const {
    const call_signature first = signature_of(0);
    std::int64_t last = first.entered;
    for (MPI_Count rank = 1; rank < ranks(); ++rank) {
        const call_signature given = signature_of(rank);
        if (given.node != first.node) {
            return 0;
        }
        last = std::max(last, given.entered);
    }
    return last;
}

std::optional<mpi_error> call_check::complaint() const {
    if (executor_.error() != MPI_SUCCESS) {
        return std::nullopt;
    }
    const auto other = other_.address != nullptr
                           ? std::optional{read_signature(static_cast<const std::byte *>(other_.address))}
                           : std::nullopt;
    auto found = find_disagreement(
        ranks(), [this](MPI_Count rank) { return signature_of(rank); }, other);
    if (found && reports_) {
        std::fprintf(stderr, "lisle: %s\n", found->what());
    }
    return found;
}

namespace {

/// Shows the sums of the signatures to all members, through the area. What one rank alone can say, such as
/// the type of a root's buffer, may differ without being wrong. @return false: two differ, as all members see
bool show_sums(collective_area &area, const call_signature &own) {
    local_steps steps{&area};
    steps.finish(enter_step{collective_area::place::slot, true});
    steps.take(post_step{{&own.sum, sizeof own.sum, byte_type()}, area_members::everyone, false});
    const bool two = area.members().count() == 2;
    const int first = two ? 1 - area.members().self() : 0;
    const await_posts_step others{first, two ? first + 1 : area.members().count()};
    if (!steps.take(others)) {
        steps.finish(others);
    }
    bool equal = own.sum != 0;
    for (int rank = others.first; rank < others.last; ++rank) {
        equal = equal &&
                std::memcmp(area.posts().data(steps.number(), rank).data(), &own.sum, sizeof own.sum) == 0;
    }
    steps.take(finish_step{false});
    return equal;
}

std::optional<mpi_error> compare_by_messages(communicator &comm, const call_signature &own) {
    std::optional<call_check> check;
    protocol::once_there_is_memory(*comm.collective.home, [&] { check.emplace(comm, own); });
    check->use_tag(next_tag(comm, false));
    check->run();
    auto found = check->complaint();
    if (!found && !comm.inter() && by_messages_alone()) {
        note_last_entry(check->last_entry());
    }
    return found;
}

} // namespace

void compare_calls(communicator &comm, const call_signature &own) {
    const one_caller alone{comm, own.call};
    std::optional<mpi_error> found;
    if (comm.size() == 1 && !comm.inter()) {
        found = own.sum != 0 ? std::nullopt : comparison{}.add(0, own);
    } else if (collective_area *const area =
                   comm.inter() || by_messages_alone() ? nullptr : collective_area::of(comm);
               area == nullptr || !show_sums(*area, own)) {
        found = compare_by_messages(comm, own);
    }
    if (found) {
        throw mpi_error{*std::move(found)};
    }
}

} // namespace lisle::collective
