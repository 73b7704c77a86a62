// SPDX-License-Identifier: Apache-2.0
// Two threads that wait for one request (LISLE_CHECK): only one of them can complete it [MPI-5.0 11.6.2]. The
// second one's call fails before it touches the request, which the first one gives back.
#pragma once

#include <span>

#include "execution/rank.hpp"
#include "mpi.h"

namespace lisle::abi {

/// While it exists, the calling thread waits for these.
class waits_alone {
  public:
    /// Throws mpi_error (MPI_ERR_REQUEST) if another thread waits for one of them.
    explicit waits_alone(std::span<const MPI_Request> requests)
        : requests_{requests}, noted_{!this_rank().calls_alone()} {
        if (noted_) {
            enter();
        }
    }
    ~waits_alone() {
        if (noted_) {
            leave();
        }
    }
    waits_alone(const waits_alone &) = delete;
    waits_alone &operator=(const waits_alone &) = delete;

  private:
    void enter();
    void leave() noexcept;

    std::span<const MPI_Request> requests_;
    bool noted_;
};

} // namespace lisle::abi
