// SPDX-License-Identifier: Apache-2.0
// Creation of windows [MPI-5.0 12.2]: all members agree on a communicator of the window's own, the first
// member of each node makes the table of members there, every member enters its memory, and the first members
// exchange their tables. So each rank sends a few messages, however many members there are. All functions are
// collective over `parent`, and return when all members have the window.
#pragma once

#include "communicator/communicator.hpp"
#include "communicator/info.hpp"
#include "rma/window.hpp"

namespace lisle::rma {

/// The arguments that all constructors share.
struct window_request {
    communicator &parent;
    const info *hints; ///< may be null
    MPI_Aint size = 0;
    MPI_Count unit = 1;
};

/// MPI_Win_create. @param base of the program's memory
[[nodiscard]] window *create_window(const window_request &asked, void *base);
/// MPI_Win_allocate: in memory that the ranks of the node reach, where there is such.
[[nodiscard]] window *allocate_window(const window_request &asked);
/// MPI_Win_allocate_shared. Throws MPI_ERR_RMA_SHARED unless all members are on one node.
[[nodiscard]] window *allocate_shared_window(const window_request &asked);
/// MPI_Win_create_dynamic.
[[nodiscard]] window *create_dynamic_window(const window_request &asked);

/// MPI_Win_free: returns when all members have called it.
void free_window(window *freed);

} // namespace lisle::rma
