// SPDX-License-Identifier: Apache-2.0
// The blocking calls that have a way without a schedule, for ranks that are fibers of one process.
#include "abi/collective.hpp"

#include "collective/meeting.hpp"

namespace lisle::api {

void barrier(communicator &comm) {
    if (!collective::meet(comm)) {
        abi::forms<abi::barrier_plan>::blocking(comm);
    }
}

void allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
               communicator &comm) {
    abi::check_reduction(comm, sendbuf, recvbuf, count, type);
    const void *const given = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    if (!collective::meet(comm, {given, count, type}, {recvbuf, count, type}, operation)) {
        abi::forms<abi::allreduce_plan>::blocking(sendbuf, recvbuf, count, type, operation, comm);
    }
}

} // namespace lisle::api
