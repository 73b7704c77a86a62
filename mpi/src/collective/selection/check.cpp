// SPDX-License-Identifier: Apache-2.0
#include "collective/selection/check.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "collective/algorithms/allgather.hpp"
#include "collective/area/collective_area.hpp"
#include "collective/steps/local_steps.hpp"
#include "communicator/communicator.hpp"
#include "datatype/basic_type.hpp"
#include "datatype/predefined.hpp"
#include "execution/rank_local.hpp"
#include "protocol/checking/type_notes.hpp"
#include "world/job.hpp"

namespace lisle::collective {

namespace {

constexpr auto signature_bytes = static_cast<MPI_Count>(sizeof(call_signature));

/// One sentence for what two ranks do: what comes before the value, and after it.
template <class Value> mpi_error other_value(int error, int rank, const char *does, const Value &value,
                                             const Value &first, const char *after = "") {
    return {error, sentence("the ranks do not make the same call: rank ", rank, does, value, after,
                            ", rank 0", does, first, after)};
}

/// What elements are, as a sum. Not known: nothing is said, or something that fits everything.
type_signature signature_in(const call_signature &said) {
    constexpr auto basics = std::uint64_t{1} << 8;
    return said.elements >= basics || said.elements == 0 || said.bytes < 0
               ? type_signature::unknown()
               : signature_of(static_cast<basic_type>(said.elements), said.bytes);
}

bool is_sum(const call_signature &said) noexcept {
    return said.elements >> 63 != 0;
}

/// Of calls that agree in their bytes.
bool elements_fit(const call_signature &one, const call_signature &other) {
    if (one.elements == other.elements || one.elements == 0 || other.elements == 0) {
        return true;
    }
    if (!is_sum(one) && !is_sum(other)) {
        const auto [a, b] = std::pair{signature_in(one), signature_in(other)};
        return one.bytes >= 0 ? fit_together(a, b)
                              : fit_together(static_cast<basic_type>(one.elements),
                                             static_cast<basic_type>(other.elements));
    }
    if (is_sum(one) && is_sum(other)) {
        return false;
    }
    const type_signature uniform = signature_in(is_sum(one) ? other : one);
    return !uniform.known() || said_sum(uniform) == std::max(one.elements, other.elements);
}

/// ", rank 1 at ..."
std::string places_of(int rank, const call_signature &given, const call_signature &first) {
    return given.place[0] == '\0' && first.place[0] == '\0'
               ? std::string{}
               : sentence(" (rank ", rank, ": ", given.place, "; rank 0: ", first.place, ")");
}

std::optional<mpi_error> disagreement_in_call(int rank, const call_signature &given,
                                              const call_signature &first) {
    if (std::strncmp(given.call, first.call, sizeof given.call) != 0) {
        return other_value(MPI_ERR_OTHER, rank, " calls MPI_", given.call, first.call);
    }
    if (given.root != first.root) {
        return other_value(MPI_ERR_ROOT, rank, " names the root ", given.root, first.root);
    }
    if (given.bytes != first.bytes) {
        return other_value(MPI_ERR_COUNT, rank, " gives ", given.bytes, first.bytes, " bytes");
    }
    if (!elements_fit(given, first)) {
        return mpi_error{MPI_ERR_TYPE,
                         sentence("the ranks do not make the same call: rank ", rank,
                                  " names elements of another type than rank 0: ", in_words(given.outline),
                                  ", rank 0 ", in_words(first.outline))};
    }
    // Empty where the operation means nothing.
    if (given.operation[0] != '\0' && first.operation[0] != '\0' &&
        std::strncmp(given.operation, first.operation, sizeof given.operation) != 0) {
        return other_value(MPI_ERR_OP, rank, " reduces with ", given.operation, first.operation);
    }
    return std::nullopt;
}

} // namespace

std::optional<mpi_error> disagreement(int rank, const call_signature &given, const call_signature &first) {
    auto found = disagreement_in_call(rank, given, first);
    return found ? mpi_error{found->code(), found->what() + places_of(rank, given, first)} : found;
}

namespace {

call_signature read_signature(const std::byte *from) {
    call_signature said;
    std::memcpy(static_cast<void *>(&said), from, sizeof said);
    said.call[sizeof said.call - 1] = said.operation[sizeof said.operation - 1] = '\0';
    said.place[sizeof said.place - 1] = '\0';
    return said;
}

/// @param said what a rank has said @param reports whether to print it
template <class Said>
std::optional<mpi_error> find_disagreement(MPI_Count ranks, const Said &said, bool reports) {
    const call_signature first = said(0);
    for (MPI_Count rank = 1; rank < ranks; ++rank) {
        if (auto found = disagreement(static_cast<int>(rank), said(rank), first)) {
            if (reports) {
                std::fprintf(stderr, "lisle: %s\n", found->what());
            }
            return found;
        }
    }
    return std::nullopt;
}

} // namespace

call_check::call_check(const communicator &comm, const call_signature &own, int tag)
    : reports_{comm.rank() == 0}, executor_{plan_for(comm, own), tag} {}

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
        protocol::type_notes::write_call(own.place);
    }
    own.node = this_rank().get_job().places().node_of(this_rank().number());
    own.entered = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
    schedule plan;
    const team team = own_group(comm);
    const typed_buffer mine = plan.packed(signature_bytes);
    std::memcpy(mine.address, &own, sizeof own);
    all_ = plan.packed(team.size * signature_bytes);
    allgather_bruck(plan, team, mine, {{all_.address, signature_bytes, byte_type()}, team.size});
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
    return executor_.error() != MPI_SUCCESS
               ? std::nullopt
               : find_disagreement(
                     ranks(), [this](MPI_Count rank) { return signature_of(rank); }, reports_);
}

namespace {

/// Shows the first bytes of a signature to all members, and has `look` see what the others have shown.
template <class Look>
void show_in(collective_area &area, const call_signature &own, MPI_Count bytes, Look look) {
    local_steps steps{&area};
    steps.finish(enter_step{collective_area::place::slot, true});
    steps.take(post_step{{&own, bytes, byte_type()}, area_members::everyone, false});
    const bool two = area.members().count() == 2;
    const int first = two ? 1 - area.members().self() : 0;
    const await_posts_step others{first, two ? first + 1 : area.members().count()};
    if (!steps.take(others)) {
        steps.finish(others);
    }
    look([&](MPI_Count rank) { return area.posts().data(steps.number(), static_cast<int>(rank)).data(); },
         others);
    steps.take(finish_step{false});
}

/// Through the area: the sums, and if two differ, as all members see, the signatures. What one rank alone can
/// say, such as the type of a root's buffer, may differ without being wrong.
std::optional<mpi_error> compare_in(collective_area &area, const call_signature &own) {
    static_assert(offsetof(call_signature, sum) == 0);
    bool equal = true;
    show_in(area, own, sizeof own.sum, [&](auto shown, const await_posts_step &others) {
        for (int rank = others.first; rank < others.last; ++rank) {
            equal = equal && std::memcmp(shown(rank), &own.sum, sizeof own.sum) == 0;
        }
    });
    std::optional<mpi_error> found;
    if (!equal) [[unlikely]] {
        show_in(area, own, signature_bytes, [&](auto shown, const await_posts_step &) {
            found = find_disagreement(
                area.members().count(), [&](MPI_Count rank) { return read_signature(shown(rank)); },
                area.members().self() == 0);
        });
    }
    return found;
}

std::optional<mpi_error> compare_by_messages(communicator &comm, const call_signature &own) {
    call_check check{comm, own, next_tag(comm, false)};
    check.run();
    auto found = check.complaint();
    if (!found && !comm.inter() && by_messages_alone()) {
        note_last_entry(check.last_entry());
    }
    return found;
}

} // namespace

void compare_calls(communicator &comm, const call_signature &own) {
    if (comm.size() == 1 && !comm.inter()) {
        return;
    }
    collective_area *const area = comm.inter() || by_messages_alone() ? nullptr : collective_area::of(comm);
    if (auto found = area != nullptr ? compare_in(*area, own) : compare_by_messages(comm, own)) {
        throw mpi_error{*std::move(found)};
    }
}

} // namespace lisle::collective
