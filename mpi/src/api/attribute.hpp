// SPDX-License-Identifier: Apache-2.0
// The attribute calls of MPI for communicators, datatypes and windows, the keys of all sorts, and the
// deprecated names of the communicators' ones.
#pragma once

#include "communicator/communicator.hpp"
#include "datatype/datatype.hpp"
#include "mpi.h"
#include "rma/window.hpp"

namespace lisle::api {

void attr_delete(communicator &comm, int keyval);
void attr_get(communicator &comm, int keyval, void *attribute_val, int *flag);
void attr_put(communicator &comm, int keyval, void *attribute_val);
void comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *erase,
                        int *comm_keyval, void *extra_state);
void comm_create_keyval_x(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *erase,
                          MPIX_Destructor_function *destroy, int *comm_keyval, void *extra_state);
void comm_delete_attr(communicator &comm, int comm_keyval);
void comm_free_keyval(int *comm_keyval);
void comm_get_attr(communicator &comm, int comm_keyval, void *attribute_val, int *flag);
void comm_set_attr(communicator &comm, int comm_keyval, void *attribute_val);
void keyval_create(MPI_Copy_function *copy, MPI_Delete_function *erase, int *keyval, void *extra_state);
void keyval_free(int *keyval);
void type_create_keyval(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *erase,
                        int *type_keyval, void *extra_state);
void type_create_keyval_x(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *erase,
                          MPIX_Destructor_function *destroy, int *type_keyval, void *extra_state);
void type_delete_attr(const datatype &type, int type_keyval);
void type_free_keyval(int *type_keyval);
void type_get_attr(const datatype &type, int type_keyval, void *attribute_val, int *flag);
void type_set_attr(const datatype &type, int type_keyval, void *attribute_val);
void win_delete_attr(rma::window &win, int win_keyval);
void win_get_attr(rma::window &win, int win_keyval, void *attribute_val, int *flag);
void win_set_attr(rma::window &win, int win_keyval, void *attribute_val);
void win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *erase, int *win_keyval,
                       void *extra_state);
void win_create_keyval_x(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *erase,
                         MPIX_Destructor_function *destroy, int *win_keyval, void *extra_state);
void win_free_keyval(int *win_keyval);

} // namespace lisle::api
