// SPDX-License-Identifier: Apache-2.0
// The blocking barrier, and the reductions in whose result all ranks have a part. Most are done without a
// plan, since planning would be most of their time.
#include <new>

#include "api/collective.hpp"
#include "collective/selection/selection.hpp"

namespace lisle::api {

namespace {

using collective::operation;

/// Does a call that needs no plan. False: nothing has been done, also if there was no memory for what the
/// call needs the first time.
[[gnu::always_inline]] inline bool done_at_once(communicator &comm, operation what,
                                                const collective::sizes &asked,
                                                const collective::operands &data) {
    try {
        return try_at_once(comm, what, asked, data);
    } catch (const std::bad_alloc &) {
        return false;
    }
}

/// @param Plan of all that need one
template <operation What, auto Plan>
[[gnu::always_inline]] inline void reduce_for_all(const void *sendbuf, void *recvbuf, MPI_Count count,
                                                  const datatype &type, const op &reduction,
                                                  communicator &comm) {
    abi::check_reduction(comm, sendbuf, recvbuf, count, type);
    reduction.check(type);
    const typed_buffer send{sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type};
    const typed_buffer receive{recvbuf, count, type};
    if (!done_at_once(comm, What, collective::of_vector(reduction, receive),
                      {.send = &send, .receive = &receive, .reduction = &reduction})) {
        abi::forms<Plan>::blocking(sendbuf, recvbuf, count, type, reduction, comm);
    }
}

} // namespace

void barrier(communicator &comm) {
    static constexpr collective::operands none{};
    if (!done_at_once(comm, operation::barrier, {}, none)) {
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
