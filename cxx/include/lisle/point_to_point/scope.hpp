// SPDX-License-Identifier: Apache-2.0
// Non-blocking operations that cannot outlive a block of the program.
#pragma once

#include <utility>

#include "lisle/point_to_point/point_to_point.hpp"
#include "lisle/request/request_pool.hpp"

namespace lisle {

/// Operations that are complete when the block ends, whatever happens in it: objects that are declared before
/// the scope outlive what uses them.
///
///     std::vector<double> out(100), in(100);
///     {
///         lisle::scope messages{world};
///         messages.isend(out, right);
///         messages.ireceive_into(in, left);
///     } // waits for both
template <class Pool = request_pool> class basic_scope {
  public:
    template <class Communicator> explicit basic_scope(const Communicator &comm) noexcept
        : comm_{comm.native()} {}
    basic_scope(const basic_scope &) = delete;
    basic_scope &operator=(const basic_scope &) = delete;
    /// Waits for all. While an exception is on its way, what may never come is cancelled.
    ~basic_scope() = default;

    /// Starts to send an object that was declared before the scope. A temporary is refused.
    template <detail::fit T> void isend(const T &object, int dest, message_tag tag = 0) {
        started_.add(point_to_point{comm_}.isend(borrow(object), dest, tag));
    }
    template <class T> void isend(const T &&, int, message_tag = 0) { refuse_temporary<T>(); }
    /// isend() that is complete only when the receive has begun.
    template <detail::fit T> void issend(const T &object, int dest, message_tag tag = 0) {
        started_.add(point_to_point{comm_}.issend(borrow(object), dest, tag));
    }
    template <class T> void issend(const T &&, int, message_tag = 0) { refuse_temporary<T>(); }
    /// Starts to receive into an object that was declared before the scope.
    template <detail::fit T> void ireceive_into(T &into, source_rank source, receive_tag tag = any_tag) {
        started_.add(point_to_point{comm_}.ireceive_into(borrow(into), source, tag));
    }
    template <class T> void ireceive_into(const T &&, source_rank, receive_tag = any_tag) {
        refuse_temporary<T>();
    }
    void isend(detail::unfit, int, message_tag = 0);
    void issend(detail::unfit, int, message_tag = 0);
    void ireceive_into(detail::unfit, source_rank, receive_tag = any_tag);
    /// Takes any other operation.
    void add(request &&under_way) { started_.add(std::move(under_way)); }
    /// Waits for all that has been started. Throws what they failed with, as the end of the block does not.
    void wait() { started_.wait_all(); }

  private:
    template <class T> static consteval void refuse_temporary() {
        static_assert(
            detail::always_false<T>,
            "This is a temporary, which ends before the scope, where the operation uses it: give it a "
            "name, before the scope.");
    }
    MPI_Comm comm_;
    Pool started_;
};
/// The scope that programs name: see basic_scope.
using scope = basic_scope<>;

} // namespace lisle
