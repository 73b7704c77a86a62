// SPDX-License-Identifier: Apache-2.0
// libmpi_cxx.so.40, which every C++ program needs that was compiled with Open MPI 4's mpi.h: the members of
// its classes that are not inline there, under the names that the compiler makes of them. Programs name them
// in their tables of virtual functions and in constructors of derived classes; few call them.
#include <mpi.h>

namespace {

/// An object of MPI::Comm, MPI::Datatype or MPI::Win.
template <class Handle> struct instance {
    const void *virtual_functions; // which the constructors of derived classes set
    Handle handle;
};

} // namespace

extern "C" {
#pragma GCC visibility push(default)
void construct_comm(instance<MPI_Comm> *comm) __asm__("_ZN3MPI4CommC2Ev");
void construct_comm(instance<MPI_Comm> *comm) {
    comm->handle = MPI_COMM_NULL;
}

void free_datatype(instance<MPI_Datatype> *datatype) __asm__("_ZN3MPI8Datatype4FreeEv");
void free_datatype(instance<MPI_Datatype> *datatype) {
    MPI_Type_free(&datatype->handle);
}

void free_window(instance<MPI_Win> *window) __asm__("_ZN3MPI3Win4FreeEv");
void free_window(instance<MPI_Win> *window) {
    MPI_Win_free(&window->handle);
}
#pragma GCC visibility pop
}
