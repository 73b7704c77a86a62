// SPDX-License-Identifier: Apache-2.0
// Ranks that can only wait for each other, or for ranks that have ended, while others are at work. At first
// all ranks that have answered count as stuck; a rank that one outside of this set may still wake is removed,
// until nothing changes. A rank whose answer is incomplete counts as one that any rank may wake.
#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "base/error.hpp"
#include "diagnosis/wait_report.hpp"

namespace lisle {

namespace {

using sort = wait_note::sort;
using state = wait_table::state;

/// Blocking collectives that no member leaves before all have come.
constexpr std::array<std::string_view, 12> meetings{
    "MPI_Allgather",  "MPI_Allgatherv", "MPI_Allreduce",      "MPI_Alltoall",
    "MPI_Alltoallv",  "MPI_Alltoallw",  "MPI_Barrier",        "MPI_Comm_dup",
    "MPI_Comm_split", "MPI_Finalize",   "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"};

/// The ranks that may end an operation.
struct enders {
    std::vector<int> ranks;
    bool all_needed = false; ///< each has to act; else any of them may be enough
};

std::vector<int> everybody(const job_waits &job) {
    std::vector<int> all(job.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// The members of the communicator, or the whole job if not all are known.
std::vector<int> members_or_everybody(const job_waits &job, const wait_note::comm *comm) {
    if (comm == nullptr || comm->has_remote_group != 0) {
        return everybody(job);
    }
    auto members = members_of(*comm, static_cast<int>(job.size()));
    return static_cast<int>(members.size()) == comm->size ? members : everybody(job);
}

/// The members that have begun fewer collectives than the rank, which is in one that needs all.
std::vector<int> late_members(const job_waits &job, const wait_note::comm &comm) {
    std::vector<int> late;
    for (const int member : members_or_everybody(job, &comm)) {
        const rank_wait &other = job[static_cast<std::size_t>(member)];
        const auto *const theirs = other.state == state::waiting ? other.comm_of(comm.context) : nullptr;
        if (theirs != nullptr && theirs->collectives < comm.collectives) {
            late.push_back(member);
        }
    }
    return late;
}

enders enders_of(const job_waits &job, int rank, const wait_note::operation &wait) {
    if (wait.what == sort::unmarked || wait.what == sort::uncompleted) {
        return {{rank}, true};
    }
    const rank_wait &self = job[static_cast<std::size_t>(rank)];
    const wait_note::comm *const comm = self.comm_of(wait.context);
    constexpr std::uint64_t partitioned_space = 8;
    const std::uint64_t space = wait.context % message_spaces;
    const bool of_user = wait.context != 0 && (space == 0 || space == partitioned_space);
    if (among_all(wait)) {
        const bool meets = std::ranges::find(meetings, self.call()) != meetings.end();
        auto late = meets && comm != nullptr ? late_members(job, *comm) : std::vector<int>{};
        if (!late.empty()) {
            return {std::move(late), true};
        }
        return {members_or_everybody(job, comm)};
    }
    if (!of_user || wait.what == sort::other || wait.what == sort::outside) {
        return {everybody(job)};
    }
    if (wait.peer >= 0 && wait.peer < static_cast<int>(job.size())) {
        return {{wait.peer}, true};
    }
    return {wait.peer == wait_note::anybody ? members_or_everybody(job, comm) : everybody(job)};
}

class stuck_search {
  public:
    stuck_search(const job_waits &job, const std::vector<int> &asleep)
        : job_{job}, still_(job.size(), false) {
        for (int rank = 0; rank < static_cast<int>(job.size()); ++rank) {
            still_[static_cast<std::size_t>(rank)] = at(rank).state == state::gone;
        }
        for (const int rank : asleep) {
            const wait_note &note = at(rank).note;
            if (at(rank).state == state::waiting && note.only_ranks != 0 && note.may_fail == 0 &&
                note.operation_count != 0 && note.met_count == 0) { // a rank of another job may wake it
                still_[static_cast<std::size_t>(rank)] = true;
                stuck_.push_back(rank);
            }
        }
    }

    std::vector<int> run() {
        const auto may_go_on = [this](int rank) {
            const bool may = !waits_in_vain(rank);
            if (may) {
                still_[static_cast<std::size_t>(rank)] = false;
            }
            return may;
        };
        while (std::erase_if(stuck_, may_go_on) != 0) {
            // those that are left may have waited for one of them
        }
        return std::move(stuck_);
    }

  private:
    [[nodiscard]] const rank_wait &at(int rank) const { return job_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] bool waits_in_vain(int rank) const {
        const wait_note &note = at(rank).note;
        const auto known = std::min(note.operation_count, wait_note::most_operations);
        const auto *const end = note.operations + known;
        const auto in_vain = [&](const wait_note::operation &wait) { return is_in_vain(rank, wait); };
        if (note.any != 0) {
            return known == note.operation_count && std::all_of(note.operations, end, in_vain);
        }
        return std::any_of(note.operations, end, in_vain);
    }
    [[nodiscard]] bool is_in_vain(int rank, const wait_note::operation &wait) const {
        const enders who = enders_of(job_, rank, wait);
        const auto is_still = [this](int one) { return still_[static_cast<std::size_t>(one)]; };
        return who.all_needed ? std::ranges::any_of(who.ranks, is_still)
                              : std::ranges::all_of(who.ranks, is_still);
    }

    const job_waits &job_;
    std::vector<bool> still_; ///< stuck, or ended
    std::vector<int> stuck_;
};

} // namespace

std::vector<int> stuck_ranks(const job_waits &job, const std::vector<int> &asleep) {
    return stuck_search{job, asleep}.run();
}

std::string stuck_report(const job_waits &job, const std::vector<int> &stuck) {
    // Only their own answers: the waits of the others may be over by now.
    job_waits alone(job.size());
    for (std::size_t rank = 0; rank < job.size(); ++rank) {
        alone[rank].state = job[rank].state == state::gone ? state::gone : state::awake;
    }
    for (const int rank : stuck) {
        alone[static_cast<std::size_t>(rank)] = job[static_cast<std::size_t>(rank)];
    }
    return sentence("lisle: deadlock: ", stuck.size() == 1 ? "rank " : "ranks ", rank_list(stuck),
                    " can never go on, whatever the others do, and no message is under way\n") +
           wait_rows(job) + begun_operations(alone) + wait_cycles(alone) + near_misses(alone) +
           remark_on_sends(alone);
}

} // namespace lisle
