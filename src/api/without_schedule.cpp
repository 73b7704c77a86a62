// SPDX-License-Identifier: Apache-2.0
// The blocking calls that have a way without a schedule: for ranks of one process that take turns, and for
// scans of two ranks.
#include "api/collective.hpp"

#include "collective/process/meeting.hpp"
#include "collective/node/message_scan.hpp"

namespace lisle::api {

namespace {

/// The meeting of ranks that do a reduction in this way, whose arguments then have been checked, or null.
[[gnu::always_inline]] inline collective::meeting *
meeting_to_reduce(collective::operation what, const void *sendbuf, const void *recvbuf, MPI_Count count,
                  const datatype &type, const op &operation, const communicator &comm) {
    collective::meeting *const shared = collective::meeting_for(comm, what, count * type.size());
    if (shared == nullptr || !operation.predefined()) {
        return nullptr;
    }
    abi::check_reduction(comm, sendbuf, recvbuf, count, type);
    operation.check(type);
    return shared;
}

const void *given(const void *sendbuf, const void *recvbuf) noexcept {
    return sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
}

/// A reduction of whose result each rank gets the part that concerns the ranks before it.
template <auto Plan> void scan_for_each(collective::operation what, const void *sendbuf, void *recvbuf,
                                        MPI_Count count, const datatype &type, const op &operation,
                                        communicator &comm) {
    const MPI_Count bytes = count * type.size();
    if (comm.size() == 2 && !comm.inter() && bytes <= collective::most_in_message) {
        abi::check_reduction(comm, sendbuf, recvbuf, count, type);
        if (collective::scan_by_message(comm, what, {given(sendbuf, recvbuf), count, type},
                                        {recvbuf, count, type}, operation)) {
            return;
        }
    }
    if (collective::meeting *const shared =
            meeting_to_reduce(what, sendbuf, recvbuf, count, type, operation, comm);
        shared == nullptr) {
        abi::forms<Plan>::blocking(sendbuf, recvbuf, count, type, operation, comm);
    } else if (shared->scans_in_turn(type, bytes)) {
        shared->scan(comm, {.give = given(sendbuf, recvbuf),
                            .take = {recvbuf, count, type},
                            .bytes = bytes,
                            .operation = &operation,
                            .exclusive = what == collective::operation::exscan});
    } else {
        const collective::card shown{.give = {given(sendbuf, recvbuf), count, type},
                                     .take = {recvbuf, count, type}};
        collective::meet(comm, *shared, what, shown, operation);
    }
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
    constexpr auto what = collective::operation::allreduce;
    if (collective::meeting *const shared =
            meeting_to_reduce(what, sendbuf, recvbuf, count, type, operation, comm);
        shared != nullptr) {
        const collective::card shown{.give = {given(sendbuf, recvbuf), count, type},
                                     .take = {recvbuf, count, type}};
        collective::meet(comm, *shared, what, shown, operation);
    } else {
        abi::forms<abi::allreduce_plan>::blocking(sendbuf, recvbuf, count, type, operation, comm);
    }
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
