// SPDX-License-Identifier: Apache-2.0
// The waiting primitive of all calls: look, help, spin, let others run, sleep. A thread that waits offers its
// core after a while and then sleeps on its rank's doorbell; a fiber lets the other fibers of its worker run,
// and is parked until its doorbell calls it. See mpi/docs/design/waiting.md.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "execution/fiber_worker.hpp"
#include "fabric/track_count.hpp"
#include "protocol/core/engine_core.hpp"
#include "protocol/message/awaited.hpp"
#include "protocol/progress/message_mover.hpp"
#include "protocol/progress/progressors.hpp"
#include "protocol/progress/spin_policy.hpp"

namespace lisle::protocol {

class waiter;

/// The waiters of all engines of a rank, by track: a thread that waits for one message makes progress for
/// all, for another one's may be what its sender waits for. Thread-safe.
class rank_waiters {
  public:
    /// Release: pairs with the acquire in each().
    void add(int track, waiter &added) noexcept {
        all_[static_cast<std::size_t>(track)].store(&added, std::memory_order_release);
        several_.store(track != 0 || several(), std::memory_order_relaxed);
    }
    /// True if there are others besides the first. Relaxed: each() orders what matters.
    [[nodiscard]] bool several() const noexcept { return several_.load(std::memory_order_relaxed); }
    /// Calls `function(track, waiter)` for each.
    template <class Function> void each(Function function) const {
        for (std::size_t track = 0; track < all_.size(); ++track) {
            if (waiter *const one = all_[track].load(std::memory_order_acquire)) {
                function(track, *one);
            }
        }
    }

  private:
    std::array<std::atomic<waiter *>, fabric::most_tracks> all_{};
    std::atomic<bool> several_{false};
};

class waiter {
  public:
    /// @param all of the rank; outlive this
    waiter(engine_core &core, message_mover &mover, const rank_waiters &all);

    /// Does what can be done now; true if anything was. Returns at once if another thread is at it.
    bool progress();
    /// The same for the rank's other engines. Who waits for something here calls it now and then: a message
    /// of another communicator may need this thread, if no other one is in the library.
    bool progress_elsewhere();
    /// Returns when `done(argument)` is true. @param what is awaited; null: perhaps something that needs no
    /// rank
    void wait_until(bool (*done)(void *), void *argument, const awaited *what);
    /// Looks for a request's completion for a while, without giving the core away. @return its state
    [[nodiscard]] bool look_for(const request &awaited) {
        return !progressors_.any() && core_.try_lock() && mover_.look_locked(awaited, brief_looks());
    }
    /// A rank that looks for news in a loop of its own: lets other fibers run, and gives its core away now
    /// and then if cores are few.
    void found_nothing() noexcept;
    /// A rank that tries again and again to send, since nobody says when a full mailbox has room: makes
    /// progress (its own mailbox may be what the receiver waits for) or lets others run.
    /// @param tries how often it has come here
    void found_no_room(unsigned &tries);
    /// Where time is simulated: returns when the rank's core has done all that the rank has had to do. Takes
    /// what arrives meanwhile: its sender may wait for room.
    void let_core_catch_up();

    /// How many looks at its mailbox the calling thread may take without letting others run.
    [[nodiscard]] unsigned brief_looks() const noexcept {
        fiber_worker *const worker = fiber_worker::current();
        return worker != nullptr && worker->others_ready() ? 0 : brief_looks_;
    }
    /// How many turns a fiber may give to the others of its worker before it looks for anything but what it
    /// waits for: together they look as often as a rank alone would. To be parked and called costs more.
    [[nodiscard]] unsigned brief_turns(const fiber_worker &worker) const noexcept;
    /// How often a fiber polls, yielding in between, before it is parked.
    [[nodiscard]] unsigned turns_among_fibers() const noexcept { return policy_.among_fibers; }

    void add(progressor &work) { progressors_.add(work); }
    [[nodiscard, gnu::always_inline]] bool has_progressors() const noexcept { return progressors_.any(); }

  private:
    /// How much news each engine of the rank has had, by track.
    using all_news = std::array<std::uint64_t, fabric::most_tracks>;
    [[nodiscard]] all_news news() const;
    bool advance_progressors();
    /// How often a rank looks in a loop of its own before it offers its core.
    [[nodiscard]] unsigned looks_between_offers() const noexcept;
    /// Sleeps until there may be news in any engine of the rank; returns at once if there has been any since
    /// the caller's last look, which `seen` stands for.
    /// @param at_most nanoseconds, 0: as long as it takes
    void sleep_unless_news(all_news &seen, std::uint64_t at_most = 0);
    /// Sleeps until the bell has rung since. Without a limit the rank counts as blocked (wait_table.hpp).
    void sleep_on_bell(std::uint32_t seen, std::uint64_t at_most);
    /// Answers if anybody has asked what the rank waits for.
    /// @param what null: the caller tests in a loop of its own
    [[gnu::cold, gnu::noinline]] void answer_question(const awaited *what, unsigned looks = 0);

    engine_core &core_;
    message_mover &mover_;
    const rank_waiters &all_;
    const spin_policy policy_;
    const unsigned brief_looks_;
    progressors progressors_;
    // Tests that found nothing. Relaxed: a count that threads of the rank share, and that orders nothing.
    std::atomic<unsigned> fruitless_{0};
};

} // namespace lisle::protocol
