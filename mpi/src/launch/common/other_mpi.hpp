// SPDX-License-Identifier: Apache-2.0
// Programs that were built for another MPI: each of their ranks would find itself alone, as rank 0 of 1.
#pragma once

#include <string_view>

namespace lisle::launch {

/// Whether a library of this name has Open MPI's or MPICH's own binary interface: libmpi.so.40,
/// libmpich.so.12.
[[nodiscard]] constexpr bool is_other_mpi(std::string_view library) {
    return library.starts_with("libmpi.so.") || library.starts_with("libmpich.so.");
}

} // namespace lisle::launch
