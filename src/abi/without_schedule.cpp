// SPDX-License-Identifier: Apache-2.0
// The blocking calls that have a way without a schedule: for ranks of one process that take turns, and for
// scans of two ranks.
#include "abi/collective.hpp"

#include "collective/meeting.hpp"
#include "collective/message_scan.hpp"

namespace lisle::api {

namespace {

/// A reduction whose result each rank gets.
/// @tparam Meet how ranks that take turns do it
template <auto Plan, auto Meet> void reduce_for_each(collective::operation what, const void *sendbuf,
                                                     void *recvbuf, MPI_Count count, const datatype &type,
                                                     const op &operation, communicator &comm) {
    if (collective::meeting *const shared = collective::meeting_for(comm, what, count * type.size());
        shared != nullptr && operation.predefined()) {
        abi::check_reduction(comm, sendbuf, recvbuf, count, type);
        const void *const given = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
        Meet(comm, *shared, what, {.give = {given, count, type}, .take = {recvbuf, count, type}}, operation);
    } else {
        abi::forms<Plan>::blocking(sendbuf, recvbuf, count, type, operation, comm);
    }
}

/// One of whose result each rank gets the part that concerns the ranks before it.
template <auto Plan> void scan_for_each(collective::operation what, const void *sendbuf, void *recvbuf,
                                        MPI_Count count, const datatype &type, const op &operation,
                                        communicator &comm) {
    if (comm.size() == 2 && !comm.inter() && count * type.size() <= collective::most_in_message) {
        abi::check_reduction(comm, sendbuf, recvbuf, count, type);
        const void *const given = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
        if (collective::scan_by_message(comm, what, {given, count, type}, {recvbuf, count, type},
                                        operation)) {
            return;
        }
    }
    reduce_for_each<Plan, collective::meet_to_scan>(what, sendbuf, recvbuf, count, type, operation, comm);
}

} // namespace

void barrier(communicator &comm) {
    if (collective::meeting *const shared = collective::meeting_for(comm, collective::operation::barrier, 0);
        shared != nullptr) {
        collective::meet(comm, *shared);
    } else {
        abi::forms<abi::barrier_plan>::blocking(comm);
    }
}

void allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
               communicator &comm) {
    reduce_for_each<abi::allreduce_plan, collective::meet_to_reduce>(
        collective::operation::allreduce, sendbuf, recvbuf, count, type, operation, comm);
}

void scan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
          communicator &comm) {
    scan_for_each<abi::scan_plan>(collective::operation::scan, sendbuf, recvbuf, count, type, operation,
                                  comm);
}

void exscan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
            communicator &comm) {
    scan_for_each<abi::exscan_plan>(collective::operation::exscan, sendbuf, recvbuf, count, type, operation,
                                    comm);
}

} // namespace lisle::api
