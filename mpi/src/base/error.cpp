// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <new>
#include <system_error>

#include "mpi.h"

namespace lisle {

mpi_error error_of(const std::exception &caught) {
    if (const auto *const known = dynamic_cast<const mpi_error *>(&caught)) {
        return *known;
    }
    if (dynamic_cast<const std::bad_alloc *>(&caught) != nullptr) {
        return {MPI_ERR_NO_MEM, "no memory left"}; // short enough to need none itself
    }
    if (dynamic_cast<const std::system_error *>(&caught) != nullptr) {
        return {MPI_ERR_OTHER, caught.what()};
    }
    throw;
}

} // namespace lisle
