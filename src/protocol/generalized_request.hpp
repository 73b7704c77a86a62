// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/request.hpp"

namespace lisle::protocol {

/// An operation of the user's own that MPI only keeps the books of [MPI-5.0 13.2].
class generalized_request final : public request {
  public:
    generalized_request(rank &owner, MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                        MPI_Grequest_cancel_function *stop, void *state) noexcept
        : request{owner}, query_{query}, release_{release}, stop_{stop}, state_{state} {}
    ~generalized_request() override { release_(state_); }

    void cancel() override { stop_(state_, complete.load(std::memory_order_acquire) ? 1 : 0); }
    void finish() override {
        MPI_Status status{};
        status.MPI_SOURCE = MPI_ANY_SOURCE;
        status.MPI_TAG = MPI_ANY_TAG;
        const int error = query_(state_, &status);
        result = outcome::load(status);
        result.error = error;
    }

  private:
    MPI_Grequest_query_function *query_;
    MPI_Grequest_free_function *release_;
    MPI_Grequest_cancel_function *stop_;
    void *state_;
};

} // namespace lisle::protocol
