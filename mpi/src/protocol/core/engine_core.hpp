// SPDX-License-Identifier: Apache-2.0
// What all parts of an engine stand on: whose engine it is, its lock, the completion of requests, and the
// work that the lock's holder leaves for when it has let go. Knows none of the parts.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "execution/rank.hpp"
#include "fabric/routes.hpp"
#include "protocol/core/engine_counts.hpp"
#include "protocol/core/engine_lock.hpp"
#include "protocol/core/message_observer.hpp"
#include "protocol/core/polled_fabrics.hpp"
#include "protocol/message/pending_work.hpp"
#include "protocol/message/request.hpp"
#include "world/job.hpp"

namespace lisle::protocol {

/// Whose engine it is, and where. Never changes.
struct engine_identity {
    engine *home; ///< for requests, and for those who handle packets
    rank &owner;
    lisle::job &job;
    const fabric::routes &routes;
    int number;                 ///< the rank's, in the job
    int on_node;                ///< the rank's index on its node
    int track;                  ///< of the rank's, see message/track.hpp
    bool in_same_address_space; ///< what the route to the rank itself says

    /// routes::share_addresses() of the rank and the peer that this way leads to.
    [[nodiscard]] bool shares_addresses(const fabric::route &way) const noexcept {
        return in_same_address_space && way.same_address_space;
    }
};

/// Meets BasicLockable: unlock() also does what completions ask for and must not be done under the lock.
class engine_core {
  public:
    /// @param observer null unless the rank's program is checked; outlives this
    engine_core(engine *home, const fabric::routes &routes, rank &owner, int track,
                message_observer *observer);
    engine_core(const engine_core &) = delete;
    engine_core &operator=(const engine_core &) = delete;

    const engine_identity self;
    message_observer *const observer;
    /// Apart from the lines that others read: the rank's thread writes here at each message.
    alignas(64) engine_counts counts;

    // ---- the lock ----

    void lock() noexcept { lock_.lock(); }
    [[nodiscard]] bool try_lock() noexcept { return lock_.try_lock(); }
    void unlock() {
        if (wake_wanted_ || orphans_ != nullptr) [[unlikely]] {
            unlock_and_wake();
        } else {
            lock_.unlock();
        }
    }
    /// The lock alone, for holders that complete nothing.
    [[nodiscard]] engine_lock &bare_lock() noexcept { return lock_; }

    // ---- completion of requests ----

    /// Marks a request complete and counts that as news.
    void complete_locked(request &finished) {
        note_news_locked();
        complete_quietly_locked(finished);
    }
    /// The same for packets: who takes them counts the news for all of them.
    void complete_quietly_locked(request &finished) {
        if (!try_complete(finished)) [[unlikely]] {
            complete_specially_locked(finished);
        }
    }
    /// The same for a request whose end causes nothing else. False: it is none.
    [[nodiscard, gnu::always_inline]] static bool try_complete(request &finished) noexcept {
        if (finished.at_end != 0) [[unlikely]] {
            return false;
        }
        // Release: pairs with the acquire load of the thread that waits; the request is its from here on.
        finished.complete.store(true, std::memory_order_release);
        return true;
    }
    void fail_locked(request &failed, int error);
    /// From any thread, without the lock.
    void complete(request &finished);
    /// Destroys a request that the user frees: now if complete, otherwise at its completion.
    void release(request &freed);
    /// Notes that an operation is pending which only packets from this peer (or anybody: -1) can end.
    void expect_locked(request &pending, int peer) noexcept;
    void expect(request &pending, int peer);

    // ---- news: something has come or completed that a thread of the rank may wait for ----

    void note_news_locked() noexcept {
        ++news_;
        wake_wanted_ = sleepers_ != 0;
    }
    /// How often there was any.
    [[nodiscard]] std::uint64_t news_locked() const noexcept { return news_; }
    /// A thread of the rank has to look once more before it may sleep.
    void require_look_locked() noexcept { ++news_; }
    void begin_sleep_locked() noexcept { ++sleepers_; }
    void end_sleep_locked() noexcept { --sleepers_; }
    /// A thread of the rank sleeps that news have come for: the holder is to let go.
    [[nodiscard]] bool wake_wanted_locked() const noexcept { return wake_wanted_; }

    // ---- work for later ----

    /// Has work done once the lock is free.
    void do_unlocked(pending_work &work) noexcept { work.next = std::exchange(work_, &work); }
    [[nodiscard]] bool has_work() const noexcept { return work_ != nullptr; }
    /// All of it, the newest first.
    [[nodiscard]] pending_work *take_work() noexcept { return std::exchange(work_, nullptr); }

    // ---- fabrics ----

    /// The fabrics that have to be asked for packets, besides the mailbox. Under the lock.
    polled_fabrics polled;
    /// Which bell calls the threads that send what waits for room; null: there are none. Under the lock.
    void have_senders(doorbell *bell) noexcept { senders_bell_ = bell; }
    [[nodiscard]] doorbell *senders() const noexcept { return senders_bell_; }
    /// Something has come to wait for room.
    void call_senders() const noexcept {
        if (senders_bell_ != nullptr) [[unlikely]] {
            senders_bell_->ring();
        }
    }

  private:
    [[gnu::noinline]] void complete_specially_locked(request &finished);
    [[gnu::noinline]] void unlock_and_wake();

    alignas(64) engine_lock lock_;
    // All below: under the lock.
    bool wake_wanted_ = false; ///< news came while a thread of the rank slept
    int sleepers_ = 0;
    std::uint64_t news_ = 0;
    pending_work *work_ = nullptr;
    request *orphans_ = nullptr; ///< completed requests that nobody waits for, to be destroyed
    doorbell *senders_bell_ = nullptr;
};

} // namespace lisle::protocol
