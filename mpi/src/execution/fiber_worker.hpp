// SPDX-License-Identifier: Apache-2.0
// A thread that runs fiber ranks in turn. A fiber stays with its worker for ever, so what the thread keeps
// for itself (errno, exceptions being handled, the current rank) is exchanged at a switch, and nothing else.
// Scheduling is cooperative: a fiber gives way only in calls that wait. Everything but the bells is touched
// by the worker's own thread only; invariant: a fiber is either the one that runs, or in the list of those
// that are ready, or parked (its bell will ring or its time end), or ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <tuple>

#include "execution/clock.hpp"
#include "execution/doorbell_row.hpp"
#include "execution/fiber_stacks.hpp"
#include "execution/fiber_switch.hpp"
#include "execution/rank.hpp"
#include "execution/wait_table.hpp"

namespace lisle {

class fiber_worker;

namespace detail {
// As current_rank: one instruction to read.
extern constinit thread_local fiber_worker *current_worker [[gnu::tls_model("initial-exec")]];
/// Called by each fiber that has begun to run or goes on; null: nothing is. Relaxed: what it does about
/// what came before it was set, it does at the next turn.
extern constinit std::atomic<void (*)()> after_turns;
} // namespace detail

/// What fibers run, and what else is exchanged when they switch.
struct fiber_body {
    void (*run)(void *argument, int index); ///< begins on the fiber of each index among the process's ranks
    void *argument;
    /// Where the calling thread keeps one more pointer that belongs to the fiber (the host's); may be null.
    void **(*place_of_extra)();
    job_clock *clock; ///< told when all fibers wait
    /// Told when all of them do so in MPI; may be null.
    wait_table *waits = nullptr;
    int first_on_node = 0; ///< the index there of the process's first rank
};

class fiber_worker {
  public:
    /// @param bells of the worker's ranks; the first one is the worker's home
    /// @param first_index of these ranks among the process's
    /// @param stacks one for each rank of the process
    fiber_worker(const doorbell_row &bells, int first_index, const fiber_stacks &stacks,
                 const fiber_body &body);
    ~fiber_worker();
    fiber_worker(const fiber_worker &) = delete;
    fiber_worker &operator=(const fiber_worker &) = delete;

    /// Runs all fibers on the calling thread; returns when they have ended.
    void run();

    /// The calling thread's, or null if the caller is no fiber.
    [[nodiscard]] static fiber_worker *current() noexcept { return detail::current_worker; }

    // ---- for a watchdog ----

    /// How often a fiber has begun to run or gone on. Any thread may ask. Relaxed: orders nothing.
    [[nodiscard]] unsigned switches() const noexcept { return switches_.load(std::memory_order_relaxed); }
    /// The fiber that runs, and those that are ready. Fibers are indices among the process's ranks.
    struct monopoly {
        int runs;    ///< -1: none, the worker waits or switches
        int held_up; ///< how many have not ended, if one of them is ready; else 0
    };
    /// For a signal handler on the worker's own thread. @param held_up gets the first of them
    [[nodiscard]] monopoly find_monopoly(std::span<int> held_up) const noexcept;

    /// For a signal handler on the worker's own thread: whether it is about to change over from one fiber to
    /// another, so that what runs is no fiber's code.
    [[nodiscard]] bool is_between_fibers() const noexcept { return between_.load(std::memory_order_relaxed); }

    /// What a debugger needs to find a fiber that does not run.
    struct places_in_memory {
        const void *const *running; ///< holds `fiber` while that runs
        const void *fiber;
        void *const *registers; ///< of the fiber, as they are on its stack while it does not run
    };
    /// Of the fiber that runs.
    [[nodiscard]] places_in_memory find_running() const noexcept {
        return {reinterpret_cast<const void *const *>(&running_), running_, running_->way.kept_registers()};
    }

    // ---- for the fiber that runs ----

    /// Those that have not ended.
    [[nodiscard]] int fibers() const noexcept { return alive_; }
    /// True if another fiber could run now.
    [[nodiscard, gnu::always_inline]] bool others_ready() noexcept {
        // Even if some are ready: those may look for what a parked one has to send, for ever.
        if (home_.any_rung()) {
            collect_rung();
        }
        return first_ != nullptr;
    }
    /// Lets others run first; false at once if there are none.
    bool yield() noexcept;
    /// The same. @pre others_ready()
    void run_next() noexcept;
    /// Parks the fiber until `bell` (its own) has rung since `seen` was read. The worker sleeps if all fibers
    /// wait.
    void park(const doorbell &bell, std::uint32_t seen) noexcept;
    /// As park, for what only ranks can bring about (wait_table.hpp).
    void park_for_others(const doorbell &bell, std::uint32_t seen) noexcept {
        ++parked_for_others_;
        park(bell, seen);
        --parked_for_others_;
    }
    /// As park, but goes on after this time of the job's clock even if the bell has not rung. Costs no time
    /// meanwhile.
    void park_for(const doorbell &bell, std::uint32_t seen, std::uint64_t nanoseconds) noexcept;
    /// For a fiber that polls without success while no other one is ready: advances the job's clock if it is
    /// simulated. False: nothing can happen any more, or the clock moves by itself.
    [[nodiscard]] bool let_time_pass() noexcept;
    /// Ends the fiber.
    [[noreturn]] void end_fiber() noexcept;

  private:
    enum class state : unsigned char { ready, running, parked, ended };
    /// What a thread keeps for the code that it runs.
    struct thread_state {
        rank *of_rank = nullptr;
        void *extra = nullptr;
        void *exceptions[2] = {nullptr, nullptr}; ///< those being handled, and the number in flight
        int error_number = 0;
    };
    /// Where the worker's thread has these, looked up once.
    struct thread_places {
        int *error_number = nullptr;
        void *exceptions = nullptr;
        void **extra = nullptr;
    };
    struct fiber {
        flow way;
        thread_state kept;
        fiber *next = nullptr;
        fiber_worker *worker = nullptr;
        int index = -1; ///< among the process's ranks; the thread's own flow has none
        bool begun = false;
        state now = state::ready;
    };

    /// A fiber gives way: from here until it runs again the worker is between fibers.
    class turn;

    static void begin(void *which);
    void end_turn() noexcept;
    /// Lets others run until this fiber's bell has rung or its rest is over. @pre it has given way
    void wait_for_turn() noexcept;
    void append(fiber &ready) noexcept;
    fiber *take_first() noexcept;
    /// Takes turns with the first that is ready.
    void run_first() noexcept;
    /// Makes the fibers ready whose time limit has passed. Returns the next limit; job_clock::never: there is
    /// none.
    std::int64_t end_rests() noexcept;
    /// The same, at some of the turns.
    void end_rests_now_and_then() noexcept;
    void collect_rung() noexcept;
    /// The next fiber to run; sleeps until there is one.
    fiber &wait_for_ready() noexcept;
    void sleep_at_home(std::uint64_t at_most) noexcept;
    void switch_to(fiber &next) noexcept;
    /// Makes `next` the one that runs, but for the switch itself.
    void hand_over_to(fiber &next) noexcept;
    void save(thread_state &into) const noexcept;
    void restore(const thread_state &from) const noexcept;

    doorbell &home_;
    std::uint32_t units_between_bells_;
    const fiber_stacks &stacks_;
    const fiber_body body_;
    int first_index_;
    int count_;
    int alive_;
    std::unique_ptr<fiber[]> fibers_;
    fiber root_; ///< the thread's own flow, which waits in run()
    std::atomic<unsigned> switches_{0};
    fiber *running_ = nullptr;
    fiber *first_ = nullptr; ///< ready, in the order in which they became so
    fiber *last_ = nullptr;
    /// Parked fibers with a time limit: the limit in nanoseconds of the job's clock, a serial number, the
    /// fiber.
    using resting = std::tuple<std::int64_t, std::uint64_t, fiber *>;
    std::set<resting> resting_;
    std::uint64_t rests_ = 0; ///< that have begun
    unsigned turns_ = 0;      ///< taken while some rest
    int parked_for_others_ = 0;
    /// Relaxed, with fences that hold for handlers on the same thread.
    std::atomic<bool> between_{true};
    thread_places places_;
};

} // namespace lisle
