// SPDX-License-Identifier: Apache-2.0
// Calls that are more than a translation of each argument. They return Lisle's error codes.
#pragma once

#include "faces/chosen/handle.hpp"
#include "faces/chosen/status.hpp"
#include "mpi.h"

namespace lisle::face {

/// A function of the program's, of a type that its interface says.
using any_function = void (*)();

// callbacks.cpp
int op_create(any_function user_fn, int commute, theirs<MPI_Op> *op) noexcept;
int op_create_c(any_function user_fn, int commute, theirs<MPI_Op> *op) noexcept;
int comm_create_errhandler(any_function function, theirs<MPI_Errhandler> *errhandler) noexcept;
int file_create_errhandler(any_function function, theirs<MPI_Errhandler> *errhandler) noexcept;
int session_create_errhandler(any_function function, theirs<MPI_Errhandler> *errhandler) noexcept;
int win_create_errhandler(any_function function, theirs<MPI_Errhandler> *errhandler) noexcept;
int grequest_start(any_function query_fn, any_function free_fn, any_function cancel_fn, void *extra_state,
                   theirs<MPI_Request> *request) noexcept;
int register_datarep(const char *datarep, any_function read, any_function write, any_function extent,
                     void *extra_state) noexcept;
int register_datarep_c(const char *datarep, any_function read, any_function write, any_function extent,
                       void *extra_state) noexcept;

// attributes.cpp
int comm_create_keyval(any_function copy, any_function erase, int *keyval, void *extra_state) noexcept;
int type_create_keyval(any_function copy, any_function erase, int *keyval, void *extra_state) noexcept;
int win_create_keyval(any_function copy, any_function erase, int *keyval, void *extra_state) noexcept;
int keyval_create(any_function copy, any_function erase, int *keyval, void *extra_state) noexcept;
int comm_get_attr(theirs<MPI_Comm> comm, int keyval, void *attribute_val, int *flag) noexcept;
int type_get_attr(theirs<MPI_Datatype> datatype, int keyval, void *attribute_val, int *flag) noexcept;
int win_get_attr(theirs<MPI_Win> win, int keyval, void *attribute_val, int *flag) noexcept;
int attr_get(theirs<MPI_Comm> comm, int keyval, void *attribute_val, int *flag) noexcept;

// with_state.cpp
int op_create_x(any_function user_fn, any_function destructor, int commute, void *extra,
                theirs<MPI_Op> *op) noexcept;
int comm_create_errhandler_x(any_function function, any_function destructor, void *extra,
                             theirs<MPI_Errhandler> *errhandler) noexcept;
int file_create_errhandler_x(any_function function, any_function destructor, void *extra,
                             theirs<MPI_Errhandler> *errhandler) noexcept;
int session_create_errhandler_x(any_function function, any_function destructor, void *extra,
                                theirs<MPI_Errhandler> *errhandler) noexcept;
int win_create_errhandler_x(any_function function, any_function destructor, void *extra,
                            theirs<MPI_Errhandler> *errhandler) noexcept;
int comm_create_keyval_x(any_function copy, any_function erase, any_function destructor, int *keyval,
                         void *extra) noexcept;
int type_create_keyval_x(any_function copy, any_function erase, any_function destructor, int *keyval,
                         void *extra) noexcept;
int win_create_keyval_x(any_function copy, any_function erase, any_function destructor, int *keyval,
                        void *extra) noexcept;

// special.cpp
int type_get_contents_c(theirs<MPI_Datatype> datatype, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_counts, MPI_Count max_datatypes, int integers[], MPI_Aint addresses[],
                        MPI_Count counts[], theirs<MPI_Datatype> datatypes[]) noexcept;
int type_get_contents(theirs<MPI_Datatype> datatype, int max_integers, int max_addresses, int max_datatypes,
                      int integers[], MPI_Aint addresses[], theirs<MPI_Datatype> datatypes[]) noexcept;
int file_set_view(theirs<MPI_File> fh, MPI_Offset disp, theirs<MPI_Datatype> etype,
                  theirs<MPI_Datatype> filetype, const char *datarep, theirs<MPI_Info> info) noexcept;
int get_version(int *version, int *subversion) noexcept;
int get_library_version(char *version, int *resultlen) noexcept;
int pcontrol(int level) noexcept;
int type_extent(theirs<MPI_Datatype> datatype, MPI_Aint *result) noexcept;
int type_lb(theirs<MPI_Datatype> datatype, MPI_Aint *result) noexcept;
int type_ub(theirs<MPI_Datatype> datatype, MPI_Aint *result) noexcept;
int status_c2f(const their_status *status, MPI_Fint *f_status) noexcept;
int status_f2c(const MPI_Fint *f_status, their_status *status) noexcept;
int status_c2f08(const their_status *status, their_status *f08_status) noexcept;
int status_f082c(const their_status *f08_status, their_status *status) noexcept;

// mpich/events.cpp
int t_event_register_callback(MPI_T_event_registration event_registration, int cb_safety,
                              theirs<MPI_Info> info, void *user_data,
                              any_function event_cb_function) noexcept;
int t_event_callback_set_info(MPI_T_event_registration event_registration, int cb_safety,
                              theirs<MPI_Info> info) noexcept;
int t_event_callback_get_info(MPI_T_event_registration event_registration, int cb_safety,
                              theirs<MPI_Info> *info_used) noexcept;
int t_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                any_function dropped_cb_function) noexcept;
int t_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
                        any_function free_cb_function) noexcept;
int t_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
                     theirs<MPI_Datatype> array_of_datatypes[], MPI_Aint array_of_displacements[],
                     int *num_elements, MPI_T_enum *enumtype, theirs<MPI_Info> *info, char *desc,
                     int *desc_len, int *bind) noexcept;
int t_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len, int *ordering,
                      MPI_Count *ticks_per_second, MPI_Count *max_ticks, theirs<MPI_Info> *info) noexcept;

} // namespace lisle::face
