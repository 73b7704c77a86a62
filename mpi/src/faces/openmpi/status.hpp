// SPDX-License-Identifier: Apache-2.0
// Statuses of Open MPI's binary interface.
#pragma once

#include <cstddef>

#include "mpi.h"

namespace lisle::face {

struct their_status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int cancelled;
    std::size_t bytes;

    [[nodiscard]] MPI_Count size() const noexcept { return static_cast<MPI_Count>(bytes); }
    void set_size(MPI_Count size) noexcept { bytes = static_cast<std::size_t>(size); }
    [[nodiscard]] bool is_cancelled() const noexcept { return cancelled != 0; }
    void set_cancelled(bool yes) noexcept { cancelled = yes ? 1 : 0; }
};
static_assert(sizeof(their_status) == 24);

} // namespace lisle::face
