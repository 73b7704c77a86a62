// SPDX-License-Identifier: Apache-2.0
// The blocking reductions in whose result all ranks have a part. Most are done without a plan, since planning
// would be most of their time.
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
    if (!collective::comparing()) [[likely]] {
        const typed_buffer receive{recvbuf, count, type};
        const collective::sizes asked = collective::of_vector(reduction, receive);
        const collective::row &use = select(comm, collective::form::blocking, What, asked);
        if (use.how.at_once != nullptr) [[likely]] {
            const typed_buffer send{sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type};
            use.how.at_once(comm, asked.bytes, {.send = &send, .receive = &receive, .reduction = &reduction});
            return;
        }
    }
    abi::forms<Plan>::blocking(sendbuf, recvbuf, count, type, reduction, comm);
}

} // namespace

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
