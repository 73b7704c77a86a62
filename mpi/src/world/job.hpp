// SPDX-License-Identifier: Apache-2.0
// The job from the view of one process: its bootstrap, the places of all ranks, and the ranks of this
// process.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "execution/clock.hpp"
#include "execution/doorbell_row.hpp"
#include "execution/rank.hpp"
#include "execution/wait_table.hpp"
#include "world/bootstrap.hpp"
#include "world/other_jobs.hpp"

namespace lisle {

class job {
  public:
    /// @param bells where the ranks of this process sleep; outlive the job
    /// @param waits of the node's ranks; its memory outlives the job
    job(std::unique_ptr<bootstrap> start, const doorbell_row &bells, const wait_table &waits);
    job(const job &) = delete;
    job &operator=(const job &) = delete;

    [[nodiscard]] bootstrap &start() const noexcept { return *start_; }
    [[nodiscard]] const locality &places() const noexcept { return start_->places(); }

    [[nodiscard]] int size() const noexcept { return size_; }
    /// Index of this process, and which ranks live in it.
    [[nodiscard]] int process() const noexcept { return process_; }
    [[nodiscard]] int first_rank() const noexcept { return first_rank_; }
    [[nodiscard]] int rank_count() const noexcept { return rank_count_; }
    [[nodiscard]] bool here(int rank) const noexcept {
        return rank >= first_rank_ && rank < first_rank_ + rank_count_;
    }
    /// Threads that run this process's ranks if they are fibers, else 0.
    [[nodiscard]] int workers() const noexcept { return places().worker_count(process_); }
    /// Threads that run ranks on this process's machine, which nodes share if they are pretended.
    [[nodiscard]] int threads_on_machine() const noexcept;
    /// True if these are more than the cores that the process may use.
    [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }
    /// The part of the job's id that contexts carry, which tells those of other jobs from its own.
    [[nodiscard]] std::uint64_t context_part() const noexcept { return context_part_; }

    // ---- ranks of this job and of others that the process has met, by their numbers here ----

    /// What the process knows of other jobs.
    [[nodiscard]] other_jobs &others() noexcept { return others_; }
    [[nodiscard]] const other_jobs &others() const noexcept { return others_; }
    /// True if the rank with this number is one of this job.
    [[nodiscard]] bool has(int number) const noexcept { return number < size_; }
    /// Ranks share a process, or a node, if they have the same number here.
    [[nodiscard]] int process_of(int number) const noexcept {
        return has(number) ? places().process_of(number) : others_.process_of(number);
    }
    [[nodiscard]] int node_of(int number) const noexcept {
        return has(number) ? places().node_of(number) : others_.node_of(number);
    }
    [[nodiscard]] rank_name name_of(int number) const noexcept {
        return has(number) ? rank_name{start_->self().job, number} : others_.name_of(number);
    }
    /// The number of a rank that is of this job or has been met; -1: it is neither.
    [[nodiscard]] int find_number(const rank_name &name) const;

    // ---- the ranks of this process ----

    /// Where the ranks of this process sleep.
    [[nodiscard]] const doorbell_row &bells() const noexcept { return bells_; }
    /// The waits of the ranks on this process's node.
    [[nodiscard]] wait_table &waits() noexcept { return waits_; }
    /// The bells of the ranks on one worker of this process.
    [[nodiscard]] doorbell_row bells_of_worker(int worker) const noexcept;

    /// A rank promises that only the process's one worker calls for it; or withdraws that, permanently and
    /// for all ranks. @return true if all ranks have promised
    [[nodiscard]] bool promise_one_thread(bool one) noexcept {
        if (!one) {
            constexpr int never = -(1 << 30); // however many promise afterwards
            promised_.store(never, std::memory_order_relaxed);
            return false;
        }
        return promised_.fetch_add(1, std::memory_order_relaxed) + 1 == rank_count_;
    }

    /// The job's clock: the machine's, unless a fabric has one of its own.
    [[nodiscard]] job_clock &clock() const noexcept { return *clock_; }
    /// @pre no rank has entered @param clock outlives the job
    void live_by(job_clock &clock) noexcept {
        clock_ = &clock;
        if (clock.simulated()) {
            waits_.look_alone();
        }
    }

    /// Takes in a rank of this process. Throws if it is here already.
    rank &enter(std::unique_ptr<rank> entering);
    /// Ends a rank: its state is destroyed. No thread may be in the library for it.
    void leave(rank &ended);
    /// The rank with this number, or null if it is not here or not now.
    [[nodiscard]] rank *find(int number) noexcept {
        // Acquire: pairs with the release in enter(), so the rank is seen whole.
        return here(number)
                   ? ranks_[static_cast<std::size_t>(number - first_rank_)].load(std::memory_order_acquire)
                   : nullptr;
    }

  private:
    std::unique_ptr<bootstrap> start_;
    const int size_;
    const int process_;
    const int first_rank_;
    const int rank_count_;
    const bool oversubscribed_;
    const std::uint64_t context_part_;
    const doorbell_row bells_;
    wait_table waits_;
    std::atomic<int> promised_{0}; ///< ranks that have promised, or negative for ever; orders nothing
    job_clock *clock_ = &real_clock::instance();
    std::vector<std::atomic<rank *>> ranks_;
    other_jobs others_;
};

/// Ends a whole job now with this exit code, without unwinding; the launcher says that it was this rank, and
/// why.
[[noreturn]] void abort_job(const job &ending, int rank, int code,
                            abort_cause cause = abort_cause::gave_up) noexcept;
/// The same for the calling rank and its job.
[[noreturn]] void abort_job(int code, abort_cause cause = abort_cause::gave_up) noexcept;

} // namespace lisle
