// SPDX-License-Identifier: Apache-2.0
// The calls of MPI about error handlers, classes and codes.
#pragma once

#include "communicator/communicator.hpp"
#include "communicator/session.hpp"
#include "file/open_file.hpp"
#include "mpi.h"
#include "rma/window.hpp"

namespace lisle::api {

void add_error_class(int *errorclass);
void add_error_code(int errorclass, int *errorcode);
void add_error_string(int errorcode, const char *string);
void comm_call_errhandler(communicator &comm, int errorcode);
void comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *created);
void comm_create_errhandler_x(MPIX_Comm_errhandler_function_x *function, MPIX_Destructor_function *destructor,
                              void *state, MPI_Errhandler *created);
void comm_get_errhandler(communicator &comm, MPI_Errhandler *handler);
void comm_set_errhandler(communicator &comm, errhandler &handler);
void errhandler_free(MPI_Errhandler *handler);
void error_class(int errorcode, int *errorclass);
void error_string(int errorcode, char *string, int *resultlen);
void file_create_errhandler(MPI_File_errhandler_function *function, MPI_Errhandler *created);
void file_create_errhandler_x(MPIX_File_errhandler_function_x *function, MPIX_Destructor_function *destructor,
                              void *state, MPI_Errhandler *created);
void file_call_errhandler(file::open_file *fh, int errorcode);
void file_get_errhandler(file::open_file *fh, MPI_Errhandler *handler);
void file_set_errhandler(file::open_file *fh, errhandler &handler);
void remove_error_class(int errorclass);
void remove_error_code(int errorcode);
void remove_error_string(int errorcode);
void session_call_errhandler(session &session, int errorcode);
void session_create_errhandler(MPI_Session_errhandler_function *function, MPI_Errhandler *created);
void session_create_errhandler_x(MPIX_Session_errhandler_function_x *function,
                                 MPIX_Destructor_function *destructor, void *state, MPI_Errhandler *created);
void session_get_errhandler(session &session, MPI_Errhandler *handler);
void session_set_errhandler(session &session, errhandler &handler);
void win_call_errhandler(rma::window &win, int errorcode);
void win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *created);
void win_create_errhandler_x(MPIX_Win_errhandler_function_x *function, MPIX_Destructor_function *destructor,
                             void *state, MPI_Errhandler *created);
void win_get_errhandler(rma::window &win, MPI_Errhandler *handler);
void win_set_errhandler(rma::window &win, errhandler &handler);

} // namespace lisle::api
