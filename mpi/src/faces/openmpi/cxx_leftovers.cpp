// SPDX-License-Identifier: Apache-2.0
// Two functions of Open MPI's library that the inline classes of its mpi.h name, and so every C++ program
// that was compiled with it: operations of MPI::Op::Init. The interface of these classes is not here (MPI-3.0
// has removed it), so a program that calls it ends with a sentence.
#include <cstdio>
#include <cstdlib>

#include "faces/calls.hpp"

namespace {

[[noreturn]] void refuse(const char *call) noexcept {
    std::fprintf(
        stderr,
        "lisle: the program calls %s of the C++ interface that MPI-3.0 has removed and Lisle does not "
        "have; MPI_Op_create does the same\n",
        call);
    lisle_calls.MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)
void ompi_op_set_cxx_callback(const void *, lisle::face::any_function) {
    refuse("MPI::Op::Init");
}
void ompi_mpi_cxx_op_intercept(void *, void *, int *, const void *, lisle::face::any_function) {
    refuse("an operation of MPI::Op::Init");
}
#pragma GCC visibility pop
}
