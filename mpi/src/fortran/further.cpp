// SPDX-License-Identifier: Apache-2.0
// Procedures that mean something else than their C functions do, or that C has not.
#include <cstring>

#include "fortran/calls.hpp"

using namespace lisle::fortran;

// NOLINTBEGIN(readability-non-const-parameter): Fortran passes everything by reference.
extern "C" {

// The address of the buffer means nothing in mpif.h and the module mpi, where any variable may be given for
// it.
void pmpi_buffer_detach_(void *, int *size, int *ierror) {
    void *buffer = nullptr;
    end(ierror, PMPI_Buffer_detach(&buffer, size));
}
#pragma weak mpi_buffer_detach_ = pmpi_buffer_detach_

void pmpi_comm_detach_buffer_(int *comm, void *, int *size, int *ierror) {
    void *buffer = nullptr;
    end(ierror, PMPI_Comm_detach_buffer(handle<MPI_Comm>(comm), &buffer, size));
}
#pragma weak mpi_comm_detach_buffer_ = pmpi_comm_detach_buffer_

void pmpi_session_detach_buffer_(int *session, void *, int *size, int *ierror) {
    void *buffer = nullptr;
    end(ierror, PMPI_Session_detach_buffer(handle<MPI_Session>(session), &buffer, size));
}
#pragma weak mpi_session_detach_buffer_ = pmpi_session_detach_buffer_

// In mpi_f08 it is a TYPE(C_PTR).
void pmpi_buffer_detach_f08_(void *address, int *size, int *ierror) {
    end(ierror, PMPI_Buffer_detach(address, size));
}
#pragma weak mpi_buffer_detach_f08_ = pmpi_buffer_detach_f08_

void pmpi_buffer_detach_c_(void *address, MPI_Count *size, int *ierror) {
    end(ierror, PMPI_Buffer_detach_c(address, size));
}
#pragma weak mpi_buffer_detach_c_ = pmpi_buffer_detach_c_

void pmpi_comm_detach_buffer_f08_(int *comm, void *address, int *size, int *ierror) {
    end(ierror, PMPI_Comm_detach_buffer(handle<MPI_Comm>(comm), address, size));
}
#pragma weak mpi_comm_detach_buffer_f08_ = pmpi_comm_detach_buffer_f08_

void pmpi_comm_detach_buffer_c_(int *comm, void *address, MPI_Count *size, int *ierror) {
    end(ierror, PMPI_Comm_detach_buffer_c(handle<MPI_Comm>(comm), address, size));
}
#pragma weak mpi_comm_detach_buffer_c_ = pmpi_comm_detach_buffer_c_

void pmpi_session_detach_buffer_f08_(int *session, void *address, int *size, int *ierror) {
    end(ierror, PMPI_Session_detach_buffer(handle<MPI_Session>(session), address, size));
}
#pragma weak mpi_session_detach_buffer_f08_ = pmpi_session_detach_buffer_f08_

void pmpi_session_detach_buffer_c_(int *session, void *address, MPI_Count *size, int *ierror) {
    end(ierror, PMPI_Session_detach_buffer_c(handle<MPI_Session>(session), address, size));
}
#pragma weak mpi_session_detach_buffer_c_ = pmpi_session_detach_buffer_c_

// C's length counts the character that ends a string.
void pmpi_info_get_string_(int *info, char *key, int *length, char *value, int *flag, int *ierror,
                           std::size_t key_length, std::size_t value_length) {
    int room_here = *length == 0 ? 0 : *length + 1;
    int code = MPI_SUCCESS;
    {
        given_text into{value, value_length, static_cast<std::size_t>(room_here)};
        code = PMPI_Info_get_string(handle<MPI_Info>(info), trimmed_text{key, key_length}, &room_here, into,
                                    flag);
    }
    if (code == MPI_SUCCESS && *flag != 0) {
        *length = room_here - 1;
    }
    end(ierror, code);
}
#pragma weak mpi_info_get_string_ = pmpi_info_get_string_

// What the root gives means nothing at others.
void pmpi_comm_spawn_(char *command, char *argv, int *count, int *info, int *root, int *comm, int *between,
                      int *codes, int *ierror, std::size_t command_length, std::size_t argument_length) {
    const bool counts = is_root(comm, root);
    const int rows = counts && !has_no_arguments(argv) ? 1 : 0;
    end(ierror, PMPI_Comm_spawn(trimmed_text{command, counts ? command_length : 0},
                                text_rows{argv, argument_length, rows, -1}.first(), *count,
                                counts ? handle<MPI_Info>(info) : MPI_INFO_NULL, *root,
                                handle<MPI_Comm>(comm), given_handle<MPI_Comm>{between}, codes_at(codes)));
}
#pragma weak mpi_comm_spawn_ = pmpi_comm_spawn_

// The arguments of each program are a row of the array.
void pmpi_comm_spawn_multiple_(int *count, char *commands, char *argvs, int *counts, int *infos, int *root,
                               int *comm, int *between, int *codes, int *ierror, std::size_t command_length,
                               std::size_t argument_length) {
    const int programs = is_root(comm, root) && *count > 0 ? *count : 0;
    const bool has_arguments = !has_no_lists(argvs);
    end(ierror, PMPI_Comm_spawn_multiple(
                    *count, text_rows{commands, command_length, programs != 0 ? 1 : 0, programs}.first(),
                    has_arguments ? text_rows{argvs, argument_length, programs, -1}.all() : MPI_ARGVS_NULL,
                    counts, handles<MPI_Info>{infos, programs}, *root, handle<MPI_Comm>(comm),
                    given_handle<MPI_Comm>{between}, codes_at(codes)));
}
#pragma weak mpi_comm_spawn_multiple_ = pmpi_comm_spawn_multiple_

// The compiler cannot know that it does nothing, so variables are in memory when it is called
// [MPI-5.0 19.1.17].
void pmpi_f_sync_reg_(void *) {}
#pragma weak mpi_f_sync_reg_ = pmpi_f_sync_reg_
#pragma weak pmpi_f_sync_reg_f08ts_ = pmpi_f_sync_reg_
#pragma weak mpi_f_sync_reg_f08ts_ = pmpi_f_sync_reg_

// A status lies in memory in the same way everywhere.
void pmpi_status_f082f_(void *from, void *to, int *ierror) {
    std::memcpy(to, from, sizeof(MPI_Status));
    end(ierror, MPI_SUCCESS);
}
#pragma weak mpi_status_f082f_ = pmpi_status_f082f_
#pragma weak pmpi_status_f2f08_ = pmpi_status_f082f_
#pragma weak mpi_status_f2f08_ = pmpi_status_f082f_
}
// NOLINTEND(readability-non-const-parameter)
