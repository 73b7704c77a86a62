// SPDX-License-Identifier: Apache-2.0
// A rank: an execution context of a job, be it a process of its own or a thread among others. The
// calling thread's rank is found through one thread-local pointer; no call searches a table.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "mpi.h"

namespace lisle {

class communicator;
class doorbell;
class job;
class open_handles;

namespace protocol {
class engine;
class tracks;
} // namespace protocol

/// Where a rank stands between MPI_Init and MPI_Finalize (of the world model).
enum class world_phase : unsigned char { before_init, initialized, finalized };

/// One rank of the job. Created when its process or thread enters the job, destroyed when it ends. The layers
/// above hang what they keep for a rank on it; this layer knows only the names of those classes.
class rank {
  public:
    /// @param bell where the rank sleeps; outlives it
    rank(job &job, int number, doorbell &bell);
    ~rank();
    rank(const rank &) = delete;
    rank &operator=(const rank &) = delete;

    /// The rank's number in the job, which is its rank in MPI_COMM_WORLD.
    [[nodiscard]] int number() const noexcept { return number_; }
    [[nodiscard]] job &get_job() const noexcept { return job_; }
    /// Where the rank sleeps and others wake it.
    [[nodiscard]] doorbell &bell() const noexcept { return bell_; }
    /// Gives the rank its engines. Once, before the rank calls anything.
    void equip(std::shared_ptr<protocol::tracks> tracks, protocol::engine &first) noexcept {
        tracks_ = std::move(tracks);
        engine_ = &first;
    }
    /// The rank's protocol engines: matching, requests, progress.
    [[nodiscard]] protocol::tracks &tracks() const noexcept { return *tracks_; }
    /// The first of them, which serves MPI_COMM_WORLD and all that belongs to no communicator.
    [[nodiscard]] protocol::engine &engine() const noexcept { return *engine_; }

    std::atomic<world_phase> phase{world_phase::before_init};
    /// MPI_COMM_WORLD, kept here since most calls name it; null outside of MPI_Init..MPI_Finalize.
    communicator *world = nullptr;
    /// How many models of MPI are in use: one from MPI_Init to MPI_Finalize, and one for each open session.
    /// Atomic for the rank's threads; orders nothing.
    std::atomic<int> models_in_use{0};
    /// The program's arguments, its name first, where the process's own command line is another one's.
    std::vector<std::string> arguments;
    /// Which of the programs of its process it runs.
    int program = 0;
    /// The handles that the program has not freed yet; null unless LISLE_CHECK is set. Never changes.
    const std::unique_ptr<open_handles> open;
    /// The level that MPI_Init_thread granted, MPI_THREAD_SINGLE.. as an integer.
    int thread_level = 0;
    /// Several threads of the rank may be in the library at a time: by that level, by a session's, as ranks
    /// of a communicator of their own (MPIX_Threadcomm_*), or because they were adopted (MPIX_Rank_adopt).
    /// Stays true. Relaxed: it is set before a second thread may call, and whatever lets that thread call
    /// orders the store.
    std::atomic<bool> several_call{false};
    [[nodiscard]] bool calls_alone() const noexcept { return !several_call.load(std::memory_order_relaxed); }

    // For rank_local only.
    static constexpr std::size_t most_slots = 48;
    struct local_slot {
        std::atomic<void *> value{nullptr};
        std::atomic<void (*)(void *)> destroy{nullptr};
    };
    static std::size_t allot_slot();
    [[nodiscard]] local_slot &slot(std::size_t index) { return slots_[index]; }

  private:
    job &job_;
    int number_;
    doorbell &bell_;
    // Shared only so that its destructor may be unknown here.
    std::shared_ptr<protocol::tracks> tracks_;
    protocol::engine *engine_ = nullptr;
    std::array<local_slot, most_slots> slots_;
};

namespace detail {
// Initial-exec: one instruction to read, and never a lazily allocated block. Constinit: so no reader asks
// whether it was constructed.
extern constinit thread_local rank *current_rank [[gnu::tls_model("initial-exec")]];
/// Finds the rank of a thread that nobody announced: the only rank of a process, or an error. Defined by the
/// composition root (library/process.cpp), which knows the process's ranks.
[[gnu::cold]] rank &adopt_thread();
/// True as soon as this process makes its first rank. Relaxed: a reader that sees it calls adopt_thread(),
/// which waits for the rank.
extern constinit std::atomic<bool> any_rank;
} // namespace detail

/// The rank that the calling thread belongs to. Enters the job at the first call of a process.
[[nodiscard]] inline rank &this_rank() {
    rank *const current = detail::current_rank;
    return current != nullptr ? *current : detail::adopt_thread();
}

/// The same for a thread that this_rank() has been asked for before, as behind every entry point.
[[nodiscard]] inline rank &known_rank() noexcept {
    return *detail::current_rank;
}

/// The same, or null where this_rank() would have to look further.
[[nodiscard]] inline rank *rank_at_once() noexcept {
    return detail::current_rank;
}

/// this_rank(), or null as long as this process has no rank: for what may be asked without entering a job, as
/// by a program that a rank has started and that is none itself.
[[nodiscard]] inline rank *rank_if_any() {
    return detail::current_rank != nullptr || detail::any_rank.load(std::memory_order_relaxed) ? &this_rank()
                                                                                               : nullptr;
}

/// Makes the calling thread one of `target`'s (null: of no rank). Returns the former value.
rank *become(rank *target) noexcept;

} // namespace lisle
