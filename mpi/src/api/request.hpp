// SPDX-License-Identifier: Apache-2.0
// Completing, starting, cancelling and freeing requests [MPI-5.0 3.7, 3.8, 3.9, 13.2].
#pragma once

#include "communicator/communicator.hpp"
#include "mpi.h"
#include "protocol/message/request.hpp"

namespace lisle::api {

void wait(MPI_Request *request, MPI_Status *status);
void test(MPI_Request *request, int *flag, MPI_Status *status);
void waitall(int count, MPI_Request *requests, MPI_Status *statuses);
void testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses);
void waitany(int count, MPI_Request *requests, int *index, MPI_Status *status);
void testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status);
void waitsome(int incount, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses);
void testsome(int incount, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses);

void request_get_status(MPI_Request request, int *flag, MPI_Status *status);
void request_get_status_all(int count, const MPI_Request *requests, int *flag, MPI_Status *statuses);
void request_get_status_any(int count, const MPI_Request *requests, int *index, int *flag,
                            MPI_Status *status);
void request_get_status_some(int incount, const MPI_Request *requests, int *outcount, int *indices,
                             MPI_Status *statuses);

void start(MPI_Request *request);
void startall(int count, MPI_Request *requests);
void cancel(MPI_Request *request);
void test_cancelled(const MPI_Status *status, int *flag);
void request_free(MPI_Request *request);

void grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                    MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *request);
void grequest_complete(MPI_Request request);

} // namespace lisle::api

namespace lisle::abi {

/// Returns when all operations on `about` are complete whose requests were freed before they were.
void wait_for_freed_requests(const communicator &about);

/// Hands a request to the user: ties it to the communicator whose error handler hears of its errors
/// (null: none) and keeps that alive until the request is freed.
[[nodiscard]] inline MPI_Request give_request(protocol::request *made, communicator *comm) {
    if (comm != nullptr && made->ending != protocol::disposal::nothing) {
        if (!comm->predefined()) { // those outlive all requests
            comm->retain();
        }
        made->comm = comm;
    }
    return handle_of<MPI_Request>(*made);
}

[[noreturn, gnu::cold]] void throw_failure(const protocol::outcome &ended, communicator *comm);

/// Throws what an operation ended with, if it was an error.
inline void throw_if_failed(const protocol::outcome &ended, communicator *comm) {
    if (ended.error != MPI_SUCCESS) [[unlikely]] {
        throw_failure(ended, comm);
    }
}

} // namespace lisle::abi
