// SPDX-License-Identifier: Apache-2.0
// What Lisle offers beyond the standard: data/extensions.json says what each call means.
#pragma once

#include "communicator/communicator.hpp"
#include "datatype/count_list.hpp"
#include "datatype/datatype.hpp"

namespace lisle::api {

void comm_shares_memory(communicator &comm, int rank, int *flag);
void comm_shadow(communicator &comm, MPI_Comm *shadow);
void op_create_x(MPIX_User_function_x *user_fn, MPIX_Destructor_function *destructor_fn, int commute,
                 void *extra_state, MPI_Op *op);
void op_create_in(void *memory, int bytes, MPIX_User_function_x *user_fn, int commute, void *extra_state,
                  MPI_Op *op);
void type_create_section(MPI_Count blocks, MPI_Count count, const datatype &oldtype, int ndims,
                         count_list array_of_sizes, count_list array_of_strides, MPI_Count element_bytes,
                         MPI_Datatype *newtype); // type_arrays.cpp
void recv_allocate(MPIX_Allocate_function *allocate, void *extra_state, const datatype &type, int source,
                   int tag, communicator &comm, MPI_Status *status);
void irecv_allocate(MPIX_Allocate_function *allocate, void *extra_state, const datatype &type, int source,
                    int tag, communicator &comm, MPI_Request *request);
void recv_inspect(MPIX_Inspect_function *inspect, MPIX_Allocate_function *allocate, void *extra_state,
                  int source, int tag, communicator &comm, MPI_Status *status);
void irecv_inspect(MPIX_Inspect_function *inspect, MPIX_Allocate_function *allocate, void *extra_state,
                   int source, int tag, communicator &comm, MPI_Request *request);
void mrecv_inspect(MPIX_Inspect_function *inspect, MPIX_Allocate_function *allocate, void *extra_state,
                   MPI_Message *message, MPI_Status *status);
void mrecv_piece(MPI_Message *message, void *data, MPI_Count *bytes);
void isend_pieces(MPI_Count bytes, int dest, int tag, communicator &comm, MPI_Request *request);
void send_piece(const void *data, MPI_Count bytes, MPI_Request request);
void tile_compute(MPI_Count cycles);
void tile_access(const void *start, MPI_Count bytes, int writes);
void pending(MPIX_Pending_function *each, void *extra_state);
void error_sentence(int errorcode, char *string, int *resultlen);
void rank_self(void *rank);
void rank_adopt(void *rank, void *former);
void rank_data(MPIX_Rank_data_function *create, MPIX_Destructor_function *destroy, void *data);

} // namespace lisle::api
