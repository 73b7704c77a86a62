// SPDX-License-Identifier: Apache-2.0
// Operations that are prepared once and started many times, whole or in parts. They borrow their buffers.
#pragma once

#include <initializer_list>
#include <utility>

#include "lisle/error.hpp"
#include "lisle/status.hpp"

namespace lisle {

/// An operation that can be started again and again; freed at the end of the scope, after its last round.
///
///     lisle::persistent halo = world.send_init(lisle::borrow(border), left);
///     for (int step = 0; step < steps; ++step) {
///         halo.start();
///         compute_inner();
///         halo.wait();
///     }
class [[nodiscard]] persistent {
  public:
    explicit persistent(MPI_Request handle) noexcept : handle_{handle} {}
    persistent(persistent &&other) noexcept : handle_{std::exchange(other.handle_, MPI_REQUEST_NULL)} {}
    persistent &operator=(persistent &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~persistent() {
        if (handle_ == MPI_REQUEST_NULL)
            return;
        MPI_Wait(&handle_, MPI_STATUS_IGNORE); // returns at once if it is not started
        MPI_Request_free(&handle_);
    }

    void start() { detail::check(MPI_Start(&handle_), "MPI_Start"); }
    status wait() {
        status ended;
        detail::check(MPI_Wait(&handle_, ended.native()), "MPI_Wait");
        return ended;
    }
    /// True if this round is over. Never waits.
    bool test() {
        int flag = 0;
        detail::check(MPI_Test(&handle_, &flag, MPI_STATUS_IGNORE), "MPI_Test");
        return flag != 0;
    }
    [[nodiscard]] MPI_Request native() const noexcept { return handle_; }

  protected:
    MPI_Request handle_;
};

/// A send whose data gets ready part by part, by any thread.
///
///     auto sending = world.partitioned_send_init(lisle::borrow(values), 8, 1);
///     sending.start();
///     for (int part = 0; part < 8; ++part) { compute(part); sending.ready(part); }
///     sending.wait();
class partitioned_send : public persistent {
  public:
    using persistent::persistent;
    /// This part may be sent.
    void ready(int partition) {
        detail::check(MPI_Pready(partition, handle_), "MPI_Pready", named_value{"partition", partition});
    }
    /// These parts may be sent, the last one included.
    void ready(int first, int last) {
        detail::check(MPI_Pready_range(first, last, handle_), "MPI_Pready_range", named_value{"first", first},
                      named_value{"last", last});
    }
};

/// Its other side.
class partitioned_receive : public persistent {
  public:
    using persistent::persistent;
    /// True if this part has come.
    [[nodiscard]] bool arrived(int partition) {
        int flag = 0;
        detail::check(MPI_Parrived(handle_, partition, &flag), "MPI_Parrived",
                      named_value{"partition", partition});
        return flag != 0;
    }
};

/// Starts several persistent operations: `lisle::start_all(up, down, left, right)`.
template <std::derived_from<persistent>... Operations> void start_all(Operations &...operations) {
    (operations.start(), ...);
}

} // namespace lisle
