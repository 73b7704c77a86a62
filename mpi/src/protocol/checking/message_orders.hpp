// SPDX-License-Identifier: Apache-2.0
// The observer that tells ThreadSanitizer which orders messages make (base/thread_order.hpp): a send comes
// before the end of its receive, in the threads that call these. Who only moves a message on is in no order
// with either.
#pragma once

#include <memory>

#include "protocol/checking/passing_observer.hpp"
#include "protocol/message/request.hpp"

namespace lisle {
class rank;
}
namespace lisle::fabric {
class routes;
}

namespace lisle::protocol {

class message_orders final : public passing_observer {
  public:
    /// Null unless orders are told. @param next may be null; outlives this, as the others do
    [[nodiscard]] static std::unique_ptr<message_orders>
    make_for(const rank &owner, const fabric::routes &routes, message_observer *next);
    message_orders(int self, const fabric::routes &routes, message_observer *next) noexcept
        : passing_observer{next}, self_{self}, routes_{routes} {}

    [[nodiscard]] std::uint32_t begin_send(const envelope &message, int dest) override;
    void begin_receive(receive_operation &receive) override;

  private:
    const int self_; ///< number in the job
    const fabric::routes &routes_;
};

/// Nothing, all of these, unless orders are told.

/// The calling thread sends a part of a message of the rank's. @param dest number in the job
void tell_sent(const fabric::routes &routes, const envelope &message, int self, int dest);
/// The calling thread begins to receive. @param self number in the job
void tell_receive(std::uint64_t context, int self);
/// The calling thread has got a message, or knows that it is there. @param self number in the job
void hear_message(std::uint64_t context, const outcome &received, int self);
/// The calling thread knows that a synchronous send has been received. @param dest number in the job
void hear_receive(std::uint64_t context, int dest);

} // namespace lisle::protocol
