// SPDX-License-Identifier: Apache-2.0
// Which calls of a whole communicator order what its members do, for ThreadSanitizer (base/thread_order.hpp):
// what a rank did before it called comes before what others do once they have their part of the result. Of
// messages and windows their own layers tell (protocol/checking/message_orders.hpp,
// rma/state/window_orders.hpp).
#pragma once

#include <cstdint>

#include "base/thread_order.hpp"
#include "mpi.h"

namespace lisle {
class communicator;
}
namespace lisle::protocol {
class request;
}

namespace lisle::abi {

/// Who hears of whom.
enum class order_between : std::uint8_t {
    everyone,
    from_root,
    to_root,
    prefix, ///< each rank of those before it
};

/// A call of one member.
class collective_order {
  public:
    /// To be made by all members in the same order. @param root a rank of the communicator, which has one
    /// group
    explicit collective_order(const communicator &comm, order_between how = order_between::everyone,
                              int root = 0);
    /// A call whose members find each other by a name, in which they all have a part.
    static collective_order of_meeting(const char *name);
    static collective_order of_meeting(std::uint64_t number);

    void enter() const; ///< by the thread that calls
    void leave() const; ///< by a thread that has the result

    void start_again() noexcept { call_ += times_between_calls; } ///< a persistent one

  private:
    collective_order(std::uint64_t name, order_between how) noexcept
        : context_{name}, how_{how}, met_{true} {}

    static constexpr std::uint64_t times_between_calls = std::uint64_t{1} << 32;
    std::uint64_t context_;
    std::uint64_t call_ = 0;
    order_between how_;
    bool met_ = false;
    bool leaves_process_ = true; ///< members may be in other processes
    int self_ = 0, root_ = 0;
};

// How the call of a collective is made. Calls are watched for other reasons, too (LISLE_CHECK).

template <class Order, class Call> void in_order(const Order &made, const Call &call) {
    if (!thread_order::told()) {
        call();
        return;
    }
    const collective_order order = made();
    order.enter();
    call();
    order.leave();
}

/// Keeps an order until its request is complete.
void leave_with(const MPI_Request *request, const collective_order &order, bool persistent);

/// Of a non-blocking one.
template <class Order, class Call>
void in_order_with(const MPI_Request *request, const Order &made, const Call &call) {
    if (!thread_order::told()) {
        call();
        return;
    }
    const collective_order order = made();
    order.enter();
    call();
    leave_with(request, order, false);
}

/// Of one that prepares a persistent collective.
template <class Order, class Call>
void in_order_when_started(const MPI_Request *request, const Order &made, const Call &call) {
    call();
    if (thread_order::told()) {
        leave_with(request, made(), true);
    }
}

// For requests of all kinds.

/// A persistent request is about to be started.
void tell_start(const protocol::request &started);
/// The calling thread has found a request complete. @param given_back it will not be asked again
void hear_request(const protocol::request &finished, bool given_back);

} // namespace lisle::abi
