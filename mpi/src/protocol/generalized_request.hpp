// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "base/error.hpp"
#include "base/thread_order.hpp"
#include "execution/wait_note.hpp"
#include "protocol/message/request.hpp"

namespace lisle::protocol {

/// An operation of the user's own that MPI only keeps the books of [MPI-5.0 13.2].
class generalized_request final : public request {
  public:
    generalized_request(rank &owner, MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                        MPI_Grequest_cancel_function *stop, void *state) noexcept
        : request{owner}, query_{query}, release_{release}, stop_{stop}, state_{state} {}
    ~generalized_request() override { static_cast<void>(release()); }

    void cancel() override {
        // Acquire: what was written before the operation was complete is seen by the user's function.
        if (const int error = stop_(state_, complete.load(std::memory_order_acquire) ? 1 : 0)) {
            throw mpi_error{error, "the request's cancel_fn failed", nullptr};
        }
    }
    void hear() const override { thread_order::place{thread_order::maker::request, this}.acquire(); }
    void describe(wait_note &note) const override {
        note.add({0, -1, wait_note::nobody, 0, wait_note::sort::uncompleted});
    }
    int give_back() override { return complete.load(std::memory_order_acquire) ? release() : MPI_SUCCESS; }
    void finish() override {
        MPI_Status status{};
        status.MPI_SOURCE = MPI_ANY_SOURCE;
        status.MPI_TAG = MPI_ANY_TAG;
        const int error = query_(state_, &status);
        result = outcome::load(status);
        result.error = error;
    }

  private:
    /// One that is freed before it is complete has nobody to tell how its free_fn ended.
    int release() { return std::exchange(released_, true) ? MPI_SUCCESS : release_(state_); }

    bool released_ = false;
    MPI_Grequest_query_function *query_;
    MPI_Grequest_free_function *release_;
    MPI_Grequest_cancel_function *stop_;
    void *state_;
};

} // namespace lisle::protocol
