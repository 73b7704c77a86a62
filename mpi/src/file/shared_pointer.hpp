// SPDX-License-Identifier: Apache-2.0
// The file pointer that all ranks of a file share [MPI-5.0 14.4.4]: one number in memory of the first rank,
// which the others change by one-sided operations.
#pragma once

#include <memory>

#include "communicator/communicator.hpp"
#include "mpi.h"
#include "rma/window.hpp"

namespace lisle::file {

/// See the file's head. Counts bytes of the view, as individual pointers do. Made and ended by all ranks of
/// `members` together.
class shared_pointer {
  public:
    shared_pointer(communicator &members, MPI_Count position);
    shared_pointer(const shared_pointer &) = delete;
    shared_pointer &operator=(const shared_pointer &) = delete;
    /// To be called by all ranks before the object ends.
    void end();

    /// Moves it on, and returns where it was.
    [[nodiscard]] MPI_Count move(MPI_Count by);
    [[nodiscard]] MPI_Count get();
    void set(MPI_Count position);

  private:
    [[nodiscard]] MPI_Count exchange(MPI_Count value, MPI_Op how);
    rma::window *window_;
};

} // namespace lisle::file
