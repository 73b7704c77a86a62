// SPDX-License-Identifier: Apache-2.0
// Progress: takes what has arrived at one engine, sends what has waited for room, and then, without the lock,
// does what was found to be done. Any thread of the process may do so for the rank; threads of the library's
// own (device_threads.hpp) call the parts of it one by one.
#pragma once

#include <cstdint>
#include <utility>

#include "fabric/packet_source.hpp"
#include "protocol/core/engine_core.hpp"
#include "protocol/eager/inbox.hpp"
#include "protocol/progress/lookout.hpp"
#include "protocol/rendezvous/announced_receives.hpp"
#include "protocol/rendezvous/announced_sends.hpp"

namespace lisle::protocol {

/// The parts of an engine that packets come from and go to.
struct message_parts {
    matching &receives;
    inbox &in;
    sender &out;
    announced_sends &sends;
    announced_receives &transfers;
};

class message_mover {
  public:
    /// Sleep while something is to be sent that found no room: nobody tells us when there is.
    static constexpr std::uint64_t retry_nanoseconds = 100'000;
    /// Longest sleep of a rank that only other ranks may wake, those of other jobs among them.
    static constexpr std::uint64_t longest_for_other_jobs = 1'000'000'000;

    /// @param into given what arrives from polled fabrics
    message_mover(engine_core &core, const message_parts &parts, fabric::sink &into)
        : core_{core}, parts_{parts}, into_{into} {}

    /// The part of progress that any thread of the process may make. True if anything was done; false at once
    /// if another thread is at it.
    bool move();
    /// Looks for a request's completion for so many times, then releases the lock. @return the request's
    /// state
    [[nodiscard]] bool look_locked(const request &awaited, unsigned most);

    /// Has something looked after until it says that it is finished.
    void watch_locked(lookout &work) noexcept { work.next = std::exchange(lookouts_, &work); }

    // ---- before a thread of the rank sleeps ----

    /// Notes that a thread of the rank is about to sleep. False: there is something to do, it must not.
    /// @param news_seen how much news the caller has seen; set to how much there is
    /// @param longest how long the rank may sleep at most; made shorter if need be
    [[nodiscard]] bool begin_sleep(std::uint64_t &news_seen, std::uint64_t &longest);
    void end_sleep();

    // ---- for threads that move messages on ----

    /// Takes some packets of one fabric, and begins the transfers that they ask for. True if any came.
    bool receive_from(fabric::packet_source &from);
    /// Announces that the thread which receives from this fabric is about to sleep. False: call
    /// receive_from().
    [[nodiscard]] bool arm(fabric::packet_source &from);
    /// Takes what has come to this rank without sending anything that waits. True if any came.
    bool receive();
    /// Announces that a thread which receives for this rank is about to sleep on the rank's bell. False:
    /// receive once more
    [[nodiscard]] bool arm_all(std::uint64_t &longest);
    /// Sends some of what waits for room on the way to peers of this fabric; null: of any.
    /// @param rest set to true if something still waits. True if anything has left
    bool send_waiting(const fabric::packet_carrier *to, bool &rest);

  private:
    /// Takes packets that have arrived, at most some. Returns how many. A packet for whose message there is
    /// no memory stays where it is, with those behind it: a call that waits tries again.
    int take_packets_locked();
    /// The same, but throws. Apart, since a handler of exceptions would cost each packet some instructions.
    [[gnu::noinline]] int take_arrived_locked();
    /// True if any of those that look out has done something.
    [[nodiscard]] bool look_out_locked() { return lookouts_ != nullptr && look_out_further_locked(); }
    [[gnu::cold, gnu::noinline]] bool look_out_further_locked() noexcept;
    /// Ends a round of progress: releases the lock and does what was found meanwhile. True if anything.
    bool unlock_and_work() {
        if (core_.has_work()) [[unlikely]] {
            unlock_and_do_all();
            return true;
        }
        core_.unlock();
        return false;
    }
    [[gnu::noinline]] void unlock_and_do_all();
    /// Goes on with a receive whose message is here, or announced. Without the lock.
    void go_on(receive_operation &receive);
    /// Sends what finds room now, as long as there is memory. @param to see sender::flush_locked()
    bool send_waiting_locked(const fabric::packet_carrier *to);
    /// Work that has found no room is tried again after this round.
    void retry_stalled_locked();
    /// Has the fabrics ring the doorbell at what arrives from here on. False: something has arrived.
    [[nodiscard]] bool arm_locked(std::uint64_t &longest);
    /// How long the rank may sleep where a fabric wakes it in this way, in nanoseconds; 0: until it is woken.
    [[nodiscard]] std::uint64_t longest_sleep(const fabric::waking &how) const noexcept;

    engine_core &core_;
    const message_parts parts_;
    fabric::sink &into_;
    lookout *lookouts_ = nullptr; ///< under the lock
};

} // namespace lisle::protocol
