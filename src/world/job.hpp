// SPDX-License-Identifier: Apache-2.0
// The job as one process sees it: the shared segment, the fabrics, and the ranks that live here. Made at
// the first call into the library and kept until the process ends.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "fabric/local/mailbox_layout.hpp"
#include "fabric/routes.hpp"
#include "fabric/local/job_segment.hpp"
#include "execution/rank.hpp"

namespace lisle {

/// Makes one fabric for a process of a job.
using fabric_maker = std::function<std::unique_ptr<fabric::fabric>(job_segment &segment, int process)>;

class job {
  public:
    /// @param process index of the process whose ranks this object holds
    /// @param launched true if a launcher watches the job
    /// @param makers of the fabrics in use, the preferred one first: a packet takes the first that reaches
    job(job_segment segment, int process, bool launched, std::span<const fabric_maker> makers);

    /// The calling process's job: the one whose launcher started it, or a job of its own with one rank.
    /// Stops the process with a sentence if it was started by a launcher that Lisle cannot talk to.
    static job &current();

    /// A job of this process alone, besides the one that the process may belong to.
    static std::unique_ptr<job> make_inside(const job_shape &shape);

    [[nodiscard]] int size() const noexcept { return segment_.ranks(); }
    /// Index of this process, and which ranks live in it.
    [[nodiscard]] int process() const noexcept { return process_; }
    [[nodiscard]] int first_rank() const noexcept { return first_rank_; }
    [[nodiscard]] int rank_count() const noexcept { return rank_count_; }
    [[nodiscard]] bool here(int rank) const noexcept {
        return rank >= first_rank_ && rank < first_rank_ + rank_count_;
    }
    /// True if a launcher watches this job (and will report how its ranks end).
    [[nodiscard]] bool launched() const noexcept { return launched_; }
    /// True if more threads run ranks on this node than the process may use cores.
    [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }

    /// A rank promises that no thread but the process's one worker calls for it; or takes that back, for
    /// ever and for all. @return true if all ranks have promised
    [[nodiscard]] bool promise_one_thread(bool one) noexcept {
        constexpr int never = -(1 << 30);
        return promised_.fetch_add(one ? 1 : never, std::memory_order_relaxed) + 1 == rank_count_ && one;
    }

    [[nodiscard]] job_segment &segment() noexcept { return segment_; }
    /// The fabric that carries packets of the first track to `rank`.
    [[nodiscard]] fabric::fabric &fabric_to(int rank) const noexcept { return routes_.to(rank); }
    /// Who carries the packets of a track (protocol/track.hpp), made at the first request; null: there is no
    /// such track here. Thread-safe.
    [[nodiscard]] fabric::routes *routes_of(int track);

    /// Makes the rank with this index among the process's own. Throws if it exists already.
    rank &enter(int index);
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
    static job make();

    job_segment segment_;
    int process_;
    int first_rank_;
    int rank_count_;
    bool launched_;
    bool oversubscribed_;
    std::atomic<int> promised_{0}; ///< ranks that have, or less than none; orders nothing
    fabric::routes routes_;        ///< of the first track
    struct other_routes {
        std::once_flag sought;
        std::optional<fabric::routes> found;
    };
    std::array<other_routes, fabric::most_tracks - 1> other_routes_;
    std::vector<std::atomic<rank *>> ranks_;
};

/// Cores that the process may use, at least 1.
[[nodiscard]] int usable_cores() noexcept;

/// Ends the whole job now with this exit code, without unwinding; the launcher names the calling rank.
[[noreturn]] void abort_job(int code) noexcept;

} // namespace lisle
