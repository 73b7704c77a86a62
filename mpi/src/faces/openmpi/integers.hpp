// SPDX-License-Identifier: Apache-2.0
// Handles and Fortran's integers, in the numbering of the other interface: predefined objects have small
// numbers of their own, Lisle's integers of all others are larger (base/handle_integers.hpp).
#pragma once

#include "abi/call_table.hpp"
#include "faces/chosen/handle.hpp"

namespace lisle::face {

template <class Handle> struct integers;
#define LISLE_INTEGERS(Handle, Sort)                                                                         \
    template <> struct integers<Handle> {                                                                    \
        static constexpr const char *sort = #Handle;                                                         \
        static int of(Handle ours) noexcept { return lisle_calls.Sort##_toint(ours); }                       \
        static Handle from(int integer) noexcept { return lisle_calls.Sort##_fromint(integer); }             \
    }
LISLE_INTEGERS(MPI_Comm, MPI_Comm);
LISLE_INTEGERS(MPI_Datatype, MPI_Type);
LISLE_INTEGERS(MPI_Errhandler, MPI_Errhandler);
LISLE_INTEGERS(MPI_File, MPI_File);
LISLE_INTEGERS(MPI_Group, MPI_Group);
LISLE_INTEGERS(MPI_Info, MPI_Info);
LISLE_INTEGERS(MPI_Message, MPI_Message);
LISLE_INTEGERS(MPI_Op, MPI_Op);
LISLE_INTEGERS(MPI_Request, MPI_Request);
LISLE_INTEGERS(MPI_Session, MPI_Session);
LISLE_INTEGERS(MPI_Win, MPI_Win);
#undef LISLE_INTEGERS

template <class Handle> [[nodiscard]] int integer_of(theirs<Handle> handle) noexcept {
    const auto *const object = handle.as_predefined();
    return object != nullptr ? static_cast<int>(object->integer) : integers<Handle>::of(handle.ours());
}

template <class Handle> [[nodiscard]] theirs<Handle> handle_with_integer(int integer) noexcept {
    if (const auto *const object = object_with_integer(integers<Handle>::sort, integer)) {
        return theirs<Handle>{object};
    }
    return theirs<Handle>::of(integers<Handle>::from(integer));
}

} // namespace lisle::face
