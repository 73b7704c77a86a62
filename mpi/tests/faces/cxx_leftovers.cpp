// SPDX-License-Identifier: Apache-2.0
// What C++ programs name that were compiled with Open MPI 4's mpi.h: members of its classes that are not
// inline, under the names that the compiler makes of them. With the argument "op", a call of what Lisle does
// not have.
#include "expect.hpp"

#include <mpi.h>

#include <cstdio>

namespace {

template <class Handle> struct instance {
    const void *virtual_functions;
    Handle handle;
};

} // namespace

extern "C" {
void construct_comm(instance<MPI_Comm> *comm) __asm__("_ZN3MPI4CommC2Ev");
void free_datatype(instance<MPI_Datatype> *datatype) __asm__("_ZN3MPI8Datatype4FreeEv");
void free_window(instance<MPI_Win> *window) __asm__("_ZN3MPI3Win4FreeEv");
void ompi_op_set_cxx_callback(MPI_Op, void (*)());
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc > 1) {
        ompi_op_set_cxx_callback(MPI_SUM, nullptr);
    }
    instance<MPI_Comm> comm{nullptr, MPI_COMM_WORLD};
    construct_comm(&comm);
    expect(comm.handle == MPI_COMM_NULL, "a communicator is null at first");
    instance<MPI_Datatype> datatype{nullptr, MPI_DATATYPE_NULL};
    MPI_Type_contiguous(2, MPI_INT, &datatype.handle);
    free_datatype(&datatype);
    expect(datatype.handle == MPI_DATATYPE_NULL, "a datatype is freed");
    instance<MPI_Win> window{nullptr, MPI_WIN_NULL};
    void *memory = nullptr;
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window.handle);
    free_window(&window);
    expect(window.handle == MPI_WIN_NULL, "a window is freed");
    MPI_Finalize();
    return mistakes;
}
