// SPDX-License-Identifier: Apache-2.0
// The blocking calls that have a way without a schedule, for ranks of one process that take turns.
#include "abi/collective.hpp"

#include "collective/meeting.hpp"

namespace lisle::api {

namespace {

/// A reduction whose result each rank gets.
template <auto Plan> void reduce_for_each(collective::operation what, const void *sendbuf, void *recvbuf,
                                          MPI_Count count, const datatype &type, const op &operation,
                                          communicator &comm) {
    if (collective::meeting::of(comm) != nullptr) {
        abi::check_reduction(comm, sendbuf, recvbuf, count, type);
        const void *const given = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
        if (collective::meet(comm, what, {given, count, type}, {recvbuf, count, type}, operation)) {
            return;
        }
    }
    abi::forms<Plan>::blocking(sendbuf, recvbuf, count, type, operation, comm);
}

} // namespace

void barrier(communicator &comm) {
    if (collective::meeting::of(comm) == nullptr || !collective::meet(comm)) {
        abi::forms<abi::barrier_plan>::blocking(comm);
    }
}

void allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
               communicator &comm) {
    reduce_for_each<abi::allreduce_plan>(collective::operation::allreduce, sendbuf, recvbuf, count, type,
                                         operation, comm);
}

void scan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
          communicator &comm) {
    reduce_for_each<abi::scan_plan>(collective::operation::scan, sendbuf, recvbuf, count, type, operation,
                                    comm);
}

void exscan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
            communicator &comm) {
    reduce_for_each<abi::exscan_plan>(collective::operation::exscan, sendbuf, recvbuf, count, type, operation,
                                      comm);
}

} // namespace lisle::api
