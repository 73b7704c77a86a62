// SPDX-License-Identifier: Apache-2.0
#include "api/thread_communicator.hpp"

#include "base/error.hpp"
#include "communicator/thread_communicator.hpp"

namespace lisle::api {

namespace {

thread_communicator &to_thread_communicator(MPI_Comm handle) {
    auto *const found = object_of<thread_communicator>(handle);
    if (found == nullptr) {
        fail(MPI_ERR_COMM, "threadcomm is no communicator of threads; MPIX_Threadcomm_init makes them");
    }
    return *found;
}

} // namespace

void threadcomm_init(communicator &comm, int num_threads, MPI_Comm *newthreadcomm) {
    *newthreadcomm = handle_of<MPI_Comm>(*thread_communicator::make(comm, num_threads));
}

void threadcomm_start(MPI_Comm threadcomm) {
    to_thread_communicator(threadcomm).start();
}

void threadcomm_finish(MPI_Comm threadcomm) {
    to_thread_communicator(threadcomm).finish();
}

void threadcomm_free(MPI_Comm *threadcomm) {
    thread_communicator &freed = to_thread_communicator(*threadcomm);
    if (!freed.idle()) {
        fail(MPI_ERR_COMM,
             "threads are still ranks of the communicator: each calls MPIX_Threadcomm_finish first");
    }
    delete &freed;
    *threadcomm = MPI_COMM_NULL;
}

} // namespace lisle::api
