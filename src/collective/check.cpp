// SPDX-License-Identifier: Apache-2.0
#include "collective/check.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "collective/algorithms/allgather.hpp"
#include "communicator/communicator.hpp"
#include "datatype/basic_type.hpp"
#include "execution/rank_local.hpp"
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

} // namespace

std::optional<mpi_error> disagreement(int rank, const call_signature &given, const call_signature &first) {
    if (std::strncmp(given.call, first.call, sizeof given.call) != 0) {
        return other_value(MPI_ERR_OTHER, rank, " calls MPI_", given.call, first.call);
    }
    if (given.root != first.root) {
        return other_value(MPI_ERR_ROOT, rank, " names the root ", given.root, first.root);
    }
    if (given.bytes != first.bytes) {
        return other_value(MPI_ERR_COUNT, rank, " gives ", given.bytes, first.bytes, " bytes");
    }
    if (!fit_together(static_cast<basic_type>(given.elements), static_cast<basic_type>(first.elements))) {
        return mpi_error{MPI_ERR_TYPE, sentence("the ranks do not make the same call: rank ", rank,
                                                " names elements of another type than rank 0")};
    }
    // Empty where the operation means nothing.
    if (given.operation[0] != '\0' && first.operation[0] != '\0' &&
        std::strncmp(given.operation, first.operation, sizeof given.operation) != 0) {
        return other_value(MPI_ERR_OP, rank, " reduces with ", given.operation, first.operation);
    }
    return std::nullopt;
}

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
    own.node = this_rank().get_job().places().node_of(this_rank().number());
    own.entered = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
    schedule plan;
    const team team = own_group(comm);
    const typed_buffer mine = plan.packed(signature_bytes);
    std::memcpy(mine.address, &own, sizeof own);
    all_ = plan.packed(team.size * signature_bytes);
    allgather_bruck(plan, team, mine, all_);
    return plan;
}

MPI_Count call_check::ranks() const noexcept {
    return all_.count / signature_bytes;
}

call_signature call_check::signature_of(MPI_Count rank) const {
    call_signature said;
    std::memcpy(static_cast<void *>(&said),
                static_cast<const std::byte *>(all_.address) + rank * signature_bytes, sizeof said);
    said.call[sizeof said.call - 1] = said.operation[sizeof said.operation - 1] = '\0';
    return said;
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
    const call_signature first = signature_of(0);
    for (MPI_Count rank = 1; rank < ranks(); ++rank) {
        if (auto found = disagreement(static_cast<int>(rank), signature_of(rank), first)) {
            if (reports_) {
                std::fprintf(stderr, "lisle: %s\n", found->what());
            }
            return found;
        }
    }
    return std::nullopt;
}

} // namespace lisle::collective
