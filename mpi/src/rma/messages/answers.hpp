// SPDX-License-Identifier: Apache-2.0
// The answers that an origin expects from its targets, and their completion when they arrive or the target
// has failed.
#pragma once

#include <exception>

#include "base/error.hpp"
#include "base/spin_lock.hpp"
#include "protocol/message/active_messages.hpp"
#include "protocol/message/operation.hpp"
#include "protocol/sending/id_table.hpp"
#include "rma/state/window_members.hpp"

namespace lisle::rma {

/// The data of a get or the like, or that something is done.
class awaited_answer final : public protocol::operation {
  public:
    /// @param into where data go
    awaited_answer(protocol::engine &home, const typed_buffer &into, int target)
        : operation{home}, into{into}, missing{into.bytes()}, target{target} {}
    typed_buffer into;
    MPI_Count missing; ///< bytes of data that are still to come
    int target;        ///< rank in the window
    int failed = -1;   ///< another rank of the window, whose failure is the error
};

/// The answers that one window awaits. Any thread of the rank may call.
class awaited_answers {
  public:
    explicit awaited_answers(const window_members &members) noexcept : members_{members} {}

    /// The answer's `id` goes with the request. The caller waits for the answer and frees it.
    [[nodiscard]] awaited_answer *expect(const typed_buffer &into, int target);
    /// Completes an answer that will not come, unless it has come.
    void give_up(awaited_answer &answer, int error);
    /// Sends a request for this answer. If that throws, the answer is no longer awaited.
    /// @param answer null: none is wanted
    template <class Send> void send_expecting(awaited_answer *answer, Send send) {
        try {
            send();
        } catch (const std::exception &caught) {
            if (answer != nullptr) {
                give_up(*answer, error_of(caught).code());
                answer->free();
            }
            throw;
        }
    }
    /// Bytes that are still to come.
    [[nodiscard]] MPI_Count missing_of(const awaited_answer &answer);
    /// Waits for an answer and frees it. Throws what it says. False: the lock was tried and is not free.
    static bool settle(awaited_answer *answer);

    /// Called by the packet handler with the engine's lock held.
    void arrived_locked(protocol::engine &home, const protocol::arrival &packet);
    /// A target has failed: all that is expected of it fails. With the engine's lock held.
    void fail_locked(protocol::engine &home, int target);

  private:
    void take_data(awaited_answer &answer, std::uint64_t offset, const protocol::arrival &packet);

    const window_members &members_;
    spin_lock mutex_; ///< protects answers_ and what is missing of them
    protocol::id_table<awaited_answer> answers_;
};

} // namespace lisle::rma
