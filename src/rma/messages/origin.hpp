// SPDX-License-Identifier: Apache-2.0
// The origin's side of operations by messages: cuts them into requests, and takes the answers. A blocking
// part of each call is to find room for its requests; meanwhile the rank makes progress, so two ranks that
// fill each other's mailboxes go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "base/spin_lock.hpp"
#include "protocol/message/active_messages.hpp"
#include "protocol/message/operation.hpp"
#include "protocol/sending/id_table.hpp"
#include "rma/element_update.hpp"
#include "rma/lock_word.hpp"
#include "rma/messages/wire.hpp"
#include "rma/target.hpp"

namespace lisle::rma {

class window;

/// What the origin expects to be told: the data of a get or the like, or that something is done.
class awaited_answer final : public protocol::operation {
  public:
    /// @param into where data go
    awaited_answer(protocol::engine &home, const typed_buffer &into, int target)
        : operation{home}, into{into}, missing{into.type != nullptr ? into.bytes() : 0}, target{target} {}
    typed_buffer into;
    MPI_Count missing; ///< bytes of data that are still to come
    int target;        ///< rank in the window
    int failed = -1;   ///< another rank of the window, whose failure is the error
};

/// One window's operations by messages. Any thread of the rank may call.
class message_origin {
  public:
    explicit message_origin(window &on) noexcept : on_{on} {}

    /// @param address of the target's data, in its own terms
    void put(const typed_buffer &origin, const target_data &target, std::uint64_t address);
    /// @return the request, which the caller waits for or frees
    [[nodiscard]] protocol::request *get(const typed_buffer &origin, const target_data &target,
                                         std::uint64_t address);
    /// @param bytes of the operands @param result where the former values go; null: nowhere, and no request
    /// is returned
    [[nodiscard]] protocol::request *update(const typed_buffer &origin, MPI_Count bytes,
                                            const typed_buffer *result, const target_data &target,
                                            std::uint64_t address, const element_update &how);
    [[nodiscard]] protocol::request *compare(const void *origin, const void *compare, void *result,
                                             const target_data &target, std::uint64_t address);

    /// Returns when all that was asked of the target is done; -1: of all targets. Throws what went wrong.
    /// While it waits for answers it waits for the window's copies, too.
    void flush(int target) {
        if (any_touched_.load(std::memory_order_relaxed)) [[unlikely]] {
            flush_touched(target);
        }
    }
    /// Gives the target's lock back. Returns when all that was asked of the target is done, and at once if
    /// nothing is under way: then nobody has to answer. Throws what went wrong.
    void give_back(int target, lock_word::kind held) { give_back(std::vector{target}, held); }
    /// The same for several: one round trip for all.
    void give_back(const std::vector<int> &targets, lock_word::kind held);
    /// Returns when all that has been sent is served: the targets may let go of the window.
    void end();
    /// Asks for the target's lock, tries it, or gives it back; the caller waits for the answer and frees it.
    /// Of a target that has failed, the answer says so.
    [[nodiscard]] awaited_answer *ask(request_kind what, int target, lock_word::kind kind);
    /// Waits for an answer and frees it. Throws what it says. False: the lock was tried and is not free.
    bool settle(awaited_answer *answer);

    /// From the packet handler, with the engine's lock held.
    void arrived_locked(protocol::engine &home, const protocol::arrival &packet);
    /// A target has failed: all that is expected of it fails. With the engine's lock held.
    void fail_locked(protocol::engine &home, int target);

  private:
    class request_writer;
    [[nodiscard]] awaited_answer *expect(const typed_buffer &into, int target);
    /// Called when the requests of an operation have been sent: a flush that does not know of them yet must
    /// not have them forgotten.
    void note_touched(int target);
    /// Sends what is to be answered. If that throws, nobody waits for the answer any more.
    template <class Send> void send_expecting(awaited_answer *answer, Send send);
    /// Completes an answer that will not come, unless it has come.
    void give_up(awaited_answer &answer, int error);
    void flush_touched(int target);
    /// Sends a request that has no data. @param id of the answer; 0: none is wanted
    void send_plain(request_kind what, int target, lock_word::kind kind, std::uint64_t id);

    window &on_;
    spin_lock mutex_; ///< protects all below
    protocol::id_table<awaited_answer> answers_;
    /// By target: the number of its last operation, unless all are known to be done.
    std::map<int, std::uint64_t> touched_;
    std::uint64_t last_operation_ = 0;
    std::set<int> unanswered_; ///< targets that have been given their locks back without an answer
    /// There have been some. Relaxed: a thread only has to see those of calls which happened before its own.
    std::atomic<bool> any_touched_{false};
};

} // namespace lisle::rma
