// SPDX-License-Identifier: Apache-2.0
// Blocking collectives of ranks of one process that take turns on its cores: fibers, and threads that share
// cores. The members that run on one worker thread are a worker group. Each member leaves its contribution,
// which says where its buffers are. The last member of a group to arrive moves what the group's members
// receive, first from its own group and, when all groups are full, from the others. The last member of all
// does reductions. So a collective costs each rank one switch, and workers hand each other only the lines of
// contributions and data. Threads are a group each; waiting costs them more than work, so of two threads the
// later one moves the data both ways, and each waits once.
// In a scan data go one way. Where the members of each group follow those of the group before, each rank adds
// to the sum of the ranks before it and goes on without waiting for later ones (group_scan.hpp).
// Invariant: the owner of a contribution does not write it until the round ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/caches.hpp"
#include "base/spin_lock.hpp"
#include "collective/area/collective_area.hpp"
#include "collective/call.hpp"
#include "collective/process/group_scan.hpp"
#include "collective/process/scan_ring.hpp"
#include "collective/steps/steps.hpp"
#include "communicator/communicator_local.hpp"
#include "reduction/op.hpp"

namespace lisle::collective {

class in_process_collective {
  public:
    /// The in-process collective of a communicator, made by the member that asks first; null if they are not
    /// all ranks of this process that take turns. The same for all members.
    [[nodiscard]] static in_process_collective *of(const communicator &comm);

    /// @param groups the number of each member's worker group @param comm of one of the members
    in_process_collective(const std::vector<int> &groups, const communicator &comm);

    /// What the calling rank gives to the next reduction and takes from it. Inlined, since a descriptor that
    /// were written and copied at once would be waited for.
    [[gnu::always_inline]] void expose(const communicator &comm, const buffer_descriptor &exposed) {
        const auto self = static_cast<std::size_t>(comm.rank());
        const auto soon = static_cast<std::size_t>(contributions_[self].soon);
        claim_line(&descriptors_[soon]); // the last one has read them
        descriptors_[self] = exposed;
    }
    /// That it gives nothing to a reduction. Nobody reads that but to find that ranks make different calls.
    void expose_nothing(const communicator &comm) {
        descriptors_[static_cast<std::size_t>(comm.rank())].give.type = nullptr;
    }
    /// Returns when all have come, and the `take` of each holds what the reduction of all gives.
    /// @param operation null: there are no data @pre expose() or expose_nothing()
    /// @return MPI_SUCCESS, or MPI_ERR_TRUNCATE if sizes differ
    [[nodiscard]] int reduce(const communicator &comm, const op *operation, result_place place);
    /// A scan: returns when the members before this one have given their parts, and this one has its result.
    /// Throws MPI_ERR_TRUNCATE if their sizes differ. @pre scans_in_turn(), part.operation->check()
    void scan(communicator &comm, const scan_part &part) {
        worker_group &own = group_of(comm.rank());
        group_scan *const found = own.scans.load(std::memory_order_acquire);
        group_scan &here = found != nullptr ? *found : prepare_scans(own);
        const auto member = static_cast<std::size_t>(comm.rank() - own.first);
        const auto now = here.add(member, part);
        if (!now.done || now.mismatch || now.news) [[unlikely]] {
            end_scan(comm, here, member, part.bytes, now);
        }
    }
    /// True if members can do a scan of such data one after the other. The same for all.
    [[nodiscard]] bool scans_in_turn(const datatype &type, MPI_Count bytes) const noexcept {
        return in_order_ && bytes <= scan_ring::most && type.contiguous();
    }
    /// Returns when all have arrived and every rank that takes something has what others give it.
    /// @param give,take what is for, or from, each member; no blocks: nothing
    /// @param root the rank without which nothing moves, or area_members::everyone
    /// @return MPI_PROC_NULL, or a member that gives another number of bytes than this rank takes
    [[nodiscard]] int exchange(const communicator &comm, const block_view &give, const block_view &take,
                               int root);

  private:
    struct alignas(64) contribution {
        block_view give, take;
        std::uint64_t round = 0; ///< in which these were exposed, plus one
        int group = 0;
        int soon = 0; ///< a member of the worker group that comes soon after this one, more often than not
        /// Whose data do not fit; orders nothing, the end of the round does.
        std::atomic<int> mismatch{MPI_PROC_NULL};
    };
    struct alignas(64) worker_group {
        std::vector<int> members;
        int first = 0; ///< of them
        /// Of these in this round. Each publishes its contribution and sees those of the members before.
        std::atomic<int> arrived{0};
        /// Null before the first one. Publishes what it points to.
        std::atomic<group_scan *> scans{nullptr};
    };

    [[nodiscard]] contribution &contribution_of(int member) noexcept {
        return contributions_[static_cast<std::size_t>(member)];
    }
    [[nodiscard]] worker_group &group_of(int member) noexcept {
        return groups_[static_cast<std::size_t>(contribution_of(member).group)];
    }
    [[nodiscard]] bool one_rank_groups() const noexcept { return groups_.size() == descriptors_.size(); }
    /// For each line of a contribution.
    void for_lines(int member, auto use) noexcept;
    /// True for the last member of its worker group to arrive.
    [[nodiscard]] bool fills(worker_group &own) noexcept;
    /// Counts a worker group; true for the last one.
    [[nodiscard]] bool is_last(std::atomic<int> &counter) noexcept;
    [[nodiscard, gnu::cold]] group_scan &prepare_scans(worker_group &own);
    /// What a scan takes besides adding a part.
    void end_scan(const communicator &comm, group_scan &where, std::size_t member, MPI_Count bytes,
                  group_scan::outcome now);
    /// Moves what is for the members of a full worker group, and returns when all others have done so, too.
    void serve(const communicator &comm, const worker_group &own, std::uint64_t round, int root);
    /// The same where each rank is a group of its own.
    void serve_alone(const communicator &comm, std::uint64_t round, int root);
    void serve_from(const worker_group &givers, const worker_group &takers, std::uint64_t round, int root);
    void move(int giver, int taker, std::uint64_t round);
    /// For a worker group that is served.
    void end_or_wait(const communicator &comm, const worker_group &own, std::uint64_t round);
    void wait_for_end(const communicator &comm, std::uint64_t round, bool before_others);
    void end(const communicator &comm, std::uint64_t round);
    void wake(const communicator &comm) {
        if (medium_.anyone_watches()) [[unlikely]] {
            wake_all(comm);
        }
    }
    void wake_all(const communicator &comm);

    fabric::shared_memory &medium_;
    std::vector<worker_group> groups_;
    std::unique_ptr<contribution[]> contributions_;
    std::vector<buffer_descriptor> descriptors_;
    bool in_order_; ///< the members of each worker group follow those of the one before, and are several
    std::once_flag scans_made_;
    std::vector<std::unique_ptr<group_scan>> group_scans_;
    std::unique_ptr<scan_ring[]> rings_; ///< from each worker group to the next, for scans
    int error_ = 0; ///< of the last reduction; the next round ends only when all have come back
    // Where each rank is a group of its own: the ranks in the order in which they arrive.
    alignas(64) spin_lock lock_;
    int arrived_alone_ = 0;
    std::vector<int> order_;
    // Of the worker groups: how many are full, and how many are served. As `arrived`.
    alignas(64) std::atomic<int> full_{0};
    std::atomic<int> served_{0};
    /// Rounds in which all worker groups have been full, and rounds that have ended. The stores publish what
    /// was exposed, and the results; they pair with the loads of ranks that wait, sequentially consistent
    /// because of the sleeping (shared_memory::nudge).
    alignas(64) std::atomic<std::uint64_t> all_full_{0};
    std::atomic<std::uint64_t> round_{0};
};

/// The in-process collective of a communicator's members, which the calling one joins, or null.
[[nodiscard]] in_process_collective *join_in_process(const communicator &comm);
struct leave_in_process {
    void operator()(in_process_collective *joined) const noexcept;
};
inline const communicator_local<in_process_collective, leave_in_process> in_process_collectives{
    [](const communicator &comm) {
        return std::unique_ptr<in_process_collective, leave_in_process>{join_in_process(comm)};
    }};

inline in_process_collective *in_process_collective::of(const communicator &comm) {
    return in_process_collectives.of(comm);
}

// Collectives in this way, once it is chosen and the arguments have been checked.

inline void barrier_in_process(const communicator &comm, in_process_collective &shared) {
    shared.expose_nothing(comm);
    static_cast<void>(shared.reduce(comm, nullptr, result_place::everywhere));
}

/// Throws because ranks give different numbers of bytes.
[[noreturn, gnu::cold]] void refuse_sizes(int error, MPI_Count bytes);

/// @param what allreduce, scan or exscan @param exposed what is given and taken, which may be one buffer
/// @param reduction a predefined operation that takes the type
[[gnu::always_inline]] inline void reduce_in_process(const communicator &comm, in_process_collective &shared,
                                                     operation what, const buffer_descriptor &exposed,
                                                     const op &reduction) {
    const result_place place = what == operation::scan     ? result_place::prefixes
                               : what == operation::exscan ? result_place::prefixes_before
                                                           : result_place::everywhere;
    shared.expose(comm, exposed);
    if (const int error = shared.reduce(comm, &reduction, place); error != MPI_SUCCESS) [[unlikely]] {
        refuse_sizes(error, exposed.take.bytes());
    }
}

/// What moves data. @param give,take,root see in_process_collective::exchange()
void exchange_in_process(const communicator &comm, const block_view &give, const block_view &take, int root);

} // namespace lisle::collective
