// SPDX-License-Identifier: Apache-2.0
// The blocking barrier, and the reductions in whose result all ranks have a part. Most are done without a
// plan, since planning would be most of their time.
#include "api/collective.hpp"
#include "collective/selection/selection.hpp"

namespace lisle::api {

namespace {

using collective::operation;

/// @param Plan of all that need one
template <operation What, auto Plan>
[[gnu::always_inline]] inline void reduce_for_all(const void *sendbuf, void *recvbuf, MPI_Count count,
                                                  const datatype &type, const op &reduction,
                                                  communicator &comm) {
    abi::check_reduction(comm, sendbuf, recvbuf, count, type);
    reduction.check(type);
    const typed_buffer send{sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type};
    const typed_buffer receive{recvbuf, count, type};
    if (!try_at_once(comm, What, collective::of_vector(reduction, receive),
                     {.send = &send, .receive = &receive, .reduction = &reduction})) {
        abi::forms<Plan>::blocking(sendbuf, recvbuf, count, type, reduction, comm);
    }
}

} // namespace

void barrier(communicator &comm) {
    static constexpr collective::operands none{};
    if (!try_at_once(comm, operation::barrier, {}, none)) {
        abi::forms<abi::barrier_plan>::blocking(comm);
    }
}

void allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &reduction,
               communicator &comm) {
    reduce_for_all<operation::allreduce, abi::allreduce_plan>(sendbuf, recvbuf, count, type, reduction, comm);
}

void scan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &reduction,
          communicator &comm) {
    reduce_for_all<operation::scan, abi::scan_plan>(sendbuf, recvbuf, count, type, reduction, comm);
}

void exscan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &reduction,
            communicator &comm) {
    reduce_for_all<operation::exscan, abi::exscan_plan>(sendbuf, recvbuf, count, type, reduction, comm);
}

} // namespace lisle::api
