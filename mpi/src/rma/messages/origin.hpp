// SPDX-License-Identifier: Apache-2.0
// The origin's side of requests: which targets have outstanding requests, so that a flush knows for which it
// waits, and the requests without data: locks and flushes. (Those that do: rma/ways/request_way.hpp.)
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/spin_lock.hpp"
#include "rma/messages/answers.hpp"
#include "rma/messages/wire.hpp"
#include "rma/state/lock_word.hpp"

namespace lisle::rma {

/// One window's requests. Any thread of the rank may call.
class message_origin {
  public:
    explicit message_origin(window_members &members) noexcept : answers{members}, members_{members} {}

    awaited_answers answers;

    /// While an operation's requests are sent. A flush by another thread, whose own request may overtake
    /// them, does not have them forgotten. What it needs of memory it takes first: what has been sent is
    /// known.
    class sending {
      public:
        sending(message_origin &by, int target);
        ~sending();
        sending(const sending &) = delete;
        sending &operator=(const sending &) = delete;

      private:
        message_origin &by_;
        const int target_;
    };

    /// A flush on its way to one target.
    struct asked_flush {
        int target;
        std::uint64_t operation; ///< the last one before the flush
        awaited_answer *answer = nullptr;
    };
    /// Begins to find out whether all that was asked of the target is done; -1: of all targets. What is
    /// returned goes to await().
    /// Throws for lack of memory, and has asked nothing then.
    [[nodiscard]] std::vector<asked_flush> begin_flush(int target) {
        if (!any_touched_.load(std::memory_order_relaxed)) [[likely]] {
            return {};
        }
        return ask_touched(target);
    }
    /// Returns when it is done. Throws what went wrong.
    void await(const std::vector<asked_flush> &asked);
    void flush(int target) { await(begin_flush(target)); }

    /// Gives the locks of several targets back: one round trip for all. Returns when all that was asked of a
    /// target is done, and at once if nothing is under way: then nobody has to answer. Throws what went
    /// wrong, but waits for memory: others wait for the locks.
    void give_back(const std::vector<int> &targets, lock_word::kind held);
    /// Returns when all requests have been served: then the targets may free the window.
    void end();
    /// Asks for the target's lock, tries it, or gives it back; the caller waits for the answer and frees it.
    /// Of a target that has failed, the answer says so.
    [[nodiscard]] awaited_answer *ask(request_kind what, int target, lock_word::kind kind);

  private:
    /// Operations on one target.
    struct target_operations {
        std::uint64_t latest = 0; ///< number of the last one whose requests have been sent
        int unfinished = 0;       ///< those whose requests are on their way out
        [[nodiscard]] bool are_done_with(std::uint64_t operation) const noexcept {
            return latest == operation && unfinished == 0;
        }
    };

    [[nodiscard]] std::vector<asked_flush> ask_touched(int target);
    /// True if operations on the target are under way, which the answer to an unlock completes. False: the
    /// unlock goes without an answer.
    [[nodiscard]] bool forget_touched(int target);
    /// Sends a request that has no data. @param id of the answer; 0: none is wanted
    void send_plain(request_kind what, int target, lock_word::kind kind, std::uint64_t id);

    window_members &members_;
    spin_lock mutex_;                          ///< protects all below
    std::map<int, target_operations> touched_; ///< by target, unless all are known to be done
    std::uint64_t last_operation_ = 0;
    std::set<int> unanswered_; ///< targets that have been given their locks back without an answer
    /// There have been some. Relaxed: a thread only has to see those of calls which happened before its own.
    std::atomic<bool> any_touched_{false};
};

} // namespace lisle::rma
