// SPDX-License-Identifier: Apache-2.0
// The receives that an engine's rank has started, and the messages that came before theirs. Keeps the memory
// of unexpected messages within bounds: senders are told when there is too much of it.
#pragma once

#include <cstdint>

#include "protocol/core/engine_core.hpp"
#include "protocol/matching/matcher.hpp"
#include "protocol/matching/started_receives.hpp"
#include "protocol/matching/storage_limit.hpp"
#include "protocol/message/operation.hpp"

namespace lisle {
struct wait_note;
}

namespace lisle::protocol {

/// Under the engine's lock, but for try_start_alone().
class matching {
  public:
    /// @param unexpected_limit bytes that the rank stores before it asks for no more; less than 0: see
    /// storage_limit.hpp
    matching(engine_core &core, std::int64_t unexpected_limit) noexcept;

    /// Starts a receive without the lock, since an exchange for each would be a fifth of a window's time. The
    /// next holder of the lock that matches something enters it. False: start it under the lock.
    [[nodiscard, gnu::always_inline]] bool try_start_alone(receive_operation &receive) noexcept {
        return receive.buffer.count < alone_end_ && !matcher_.may_store() && started_.add(receive);
    }
    /// Whether one thread starts all of the rank's receives. @pre nobody starts one
    void expect_one_thread(bool one) noexcept {
        alone_end_ = !one ? 0 : matcher_.published().possible() ? surely_short_end : INT64_MAX;
    }
    [[nodiscard]] bool expects_one_thread() const noexcept { return alone_end_ != 0; }
    /// From now on senders may fill long receives; see publications.
    void publish_in(const fabric::published_receives &slots,
                    const fabric::mailbox_receiver &mailbox) noexcept {
        matcher_.published().use(slots, mailbox);
    }
    /// Enters what has been started since into the tables: to be called before anything is matched, and
    /// before the rank sleeps.
    void enter_started_locked() {
        if (started_.any()) {
            enter_all_started_locked();
        }
    }

    /// The receive that takes a message with this envelope, taken out; or null.
    [[nodiscard, gnu::always_inline]] receive_operation *match(const envelope &message) noexcept {
        return matcher_.match(message);
    }
    /// The same for an announced message: if its sender has claimed a receive for it, that, which stays
    /// published.
    [[nodiscard]] receive_operation *match_announced(const envelope &message, std::uint64_t sender) noexcept;
    /// The same where the rank has an observer: null while choices are left open.
    [[nodiscard]] receive_operation *match_observed(const envelope &message) noexcept {
        return leaves_open_ ? nullptr : matcher_.match(message);
    }
    /// A posted receive takes a stored message once the lock is free. For who decides what is left open.
    void join_locked(receive_operation &posted, unexpected_message &stored);
    /// Does what needs memory for a message that has just been matched, before anything else has happened. If
    /// that throws, the receive waits for the message again. @param matched null: none takes it
    template <class Action> void or_put_back(receive_operation *matched, Action action) {
        try {
            action();
        } catch (...) {
            if (matched != nullptr) {
                matcher_.put_back(*matched);
                matcher_.published().withdraw_all(); // a sender sees only what is published
            }
            throw;
        }
    }
    /// The oldest stored message that a receive takes, taken out for it; null: there is none.
    [[nodiscard]] unexpected_message *take_for_locked(const receive_operation &receive);
    void post_locked(receive_operation &receive) { matcher_.post(receive); }
    /// @pre publications are possible
    void post_and_publish_locked(receive_operation &receive) { matcher_.post_and_publish(receive); }
    /// False: a sender has claimed it, and ends it.
    [[nodiscard]] bool withdraw_locked(receive_operation &receive) noexcept;
    [[nodiscard]] publications &published() noexcept { return matcher_.published(); }
    [[nodiscard]] const publications &published() const noexcept { return matcher_.published(); }
    /// Ends those whose sender has claimed them and has failed since: calls `end` with each.
    template <class HasFailed, class End> void end_claimed_locked(HasFailed has_failed, End end) {
        for (std::uint32_t slot = 0; slot < fabric::published_receives::most_slots; ++slot) {
            receive_operation *const receive = published().in_slot(slot);
            if (receive != nullptr && has_failed(receive->from) && !published().withdraw(*receive)) {
                if (receive->posted) {
                    matcher_.withdraw(*receive);
                }
                published().end(*receive);
                end(*receive);
            }
        }
    }
    /// Keeps a message that came: with the receive that captures it, or as unexpected if there is none. If it
    /// throws, for lack of memory, the message is gone.
    void keep_locked(unexpected_message &message, receive_operation *captor);
    /// The stored announcement with this sender; null: there is none.
    [[nodiscard]] unexpected_message *find_announced_locked(int rank, std::uint64_t sender) noexcept {
        return matcher_.find_announced(rank, sender);
    }
    /// Takes a stored message out.
    void take_locked(unexpected_message &message);
    /// The oldest stored message that the pattern accepts, taken out if `take` is set.
    [[nodiscard]] unexpected_message *probe_locked(const envelope &pattern, bool take);

    /// True if a posted receive would take this message.
    [[nodiscard]] bool awaits(const envelope &message);
    [[nodiscard, gnu::always_inline]] bool stores_nothing() const noexcept {
        return matcher_.stores_nothing();
    }
    /// Nothing is posted, stored, or started.
    [[nodiscard, gnu::always_inline]] bool idle() const noexcept {
        return matcher_.idle() && !started_.any();
    }
    [[nodiscard]] matcher &tables() noexcept { return matcher_; }

    // ---- for reports; these take the lock ----

    /// Adds what has come for this rank and waits for a receive.
    void list_unexpected(wait_note &note);
    /// Bytes of unexpected messages that are stored now.
    [[nodiscard]] std::size_t stored_bytes();
    /// The limit of that where senders have to wait because of it, else 0.
    [[nodiscard]] std::size_t limit_in_force();

  private:
    [[gnu::noinline]] void enter_all_started_locked();
    /// What is stored has changed: peers hear of it if there is too much of it, or no longer.
    void update_congestion() {
        if (congested_ || matcher_.stored_bytes() > limit_.bytes()) [[unlikely]] {
            change_congestion();
        }
    }
    [[gnu::noinline]] void change_congestion();

    engine_core &core_;
    /// All messages are stored and all receives posted: others bring them together (job_clock::leaves_open).
    /// Only where there is an observer that follows each message.
    const bool leaves_open_;
    storage_limit limit_;
    // Receives of fewer elements than this are started without the lock: none unless one thread at a time
    // starts receives, and where some may be published only those that are short with the usual types.
    static constexpr MPI_Count surely_short_end = 4096;
    MPI_Count alone_end_ = 0;
    bool congested_ = false;
    matcher matcher_;
    started_receives started_; ///< by the one thread that starts them alone
};

} // namespace lisle::protocol
