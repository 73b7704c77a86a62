// SPDX-License-Identifier: Apache-2.0
// The target's side of operations by messages: the thread that makes progress for the target's engine does
// what requests ask for. A request whose answer finds no room is kept, with all that come after it from the
// same origin, and served when there is room. Requests for a lock that is held wait in a queue of their own;
// the target's rank then waits for its lock as any other rank does, without being in a call: the thread that
// makes progress for it looks, and the holder that gives the lock back wakes it
// (protocol/progress/lookout.hpp).
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/spin_lock.hpp"
#include "protocol/message/active_messages.hpp"
#include "protocol/message/operation.hpp"
#include "protocol/progress/lookout.hpp"
#include "rma/lock_word.hpp"
#include "rma/messages/wire.hpp"

namespace lisle::rma {

class window;

class message_target final : private protocol::pending_call, private protocol::lookout {
  public:
    explicit message_target(window &on) noexcept;

    /// From the packet handler, with the engine's lock held.
    void arrived_locked(protocol::engine &home, const protocol::arrival &packet);
    /// An origin has failed. With the engine's lock held.
    void fail_locked(protocol::engine &home, int origin);
    /// True if nothing is kept or waits here.
    [[nodiscard]] bool idle();

  private:
    struct kept_request {
        request_kind what;
        std::vector<std::byte> payload;
    };
    struct lock_request {
        int origin;
        std::uint64_t id;
        lock_word::kind kind;
    };
    /// A request as it is served. Its payload has been checked as far as its kind says.
    struct request {
        int origin;
        request_kind what;
        request_head head;
        std::span<const std::byte> payload; ///< behind the head
    };

    /// Does what is asked. False: there is no room for the answer, and nothing has been done.
    [[nodiscard]] bool serve_locked(const request &asked);
    /// @param failed the rank of the window whose failure is the error; -1: none
    [[nodiscard]] bool answer_locked(int origin, std::uint64_t id, int error, int failed = -1);
    void keep_locked(int origin, request_kind what, std::span<const std::byte> payload);
    /// The same for an answer that found no room.
    void keep_answer_locked(int origin, std::uint64_t id, int error, int failed);
    void serve_kept_locked();
    void take_lock_locked(const request &asked);
    void try_lock_locked(const request &asked);
    /// An origin holds the lock now.
    void note_holder_locked(int origin, lock_word::kind kind);
    /// Answers after all that is kept for the origin.
    void answer_or_keep_locked(int origin, std::uint64_t id, int error, int failed);
    [[nodiscard]] bool give_lock_locked(const request &asked);
    /// True if any request has left the queue.
    bool grant_locks_locked();
    void end_waiting_locked();

    [[nodiscard]] std::vector<memory_run> runs_of(const request &asked) const;
    /// Where a run lies here. Null, and the error is noted for the origin: it is not in the window.
    [[nodiscard]] std::byte *place_of(const request &asked, std::uint64_t address, std::size_t bytes);

    static void serve_again(protocol::engine &home, protocol::pending_call &self);
    bool look_locked(protocol::engine &home, bool &any) override;

    window &on_;
    spin_lock mutex_;                              ///< protects all below; taken with the engine's lock held
    std::map<int, std::deque<kept_request>> kept_; ///< by origin
    bool retries_ = false;                         ///< the engine calls serve_again()
    std::map<int, int> errors_;                    ///< by origin: what its next flush is told
    std::deque<lock_request> waiting_;
    std::optional<lock_word::kind> awaited_; ///< registered in the lock's word for the first of them
    bool watches_ = false;                   ///< the engine calls look_locked()
    std::map<int, lock_word::kind> held_;    ///< by origin: what it has been given
};

} // namespace lisle::rma
