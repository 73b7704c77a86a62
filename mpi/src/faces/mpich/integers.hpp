// SPDX-License-Identifier: Apache-2.0
// Integers of Fortran: those of files, since all other handles are the same integers in C.
#pragma once

#include "abi/call_table.hpp"
#include "faces/chosen/handle.hpp"

namespace lisle::face {

[[nodiscard]] inline int integer_of(theirs<MPI_File> file) noexcept {
    const MPI_File ours = file.ours();
    return ours == MPI_FILE_NULL ? 0 : lisle_calls.MPI_File_toint(ours);
}

template <class Handle> [[nodiscard]] theirs<Handle> handle_with_integer(int integer) noexcept {
    return theirs<Handle>::of(integer == 0 ? MPI_FILE_NULL : lisle_calls.MPI_File_fromint(integer));
}

} // namespace lisle::face
