// SPDX-License-Identifier: Apache-2.0
// The collective calls, each in its blocking, non-blocking and persistent form. The generated entry points
// have checked what can be checked call by call; arguments that mean nothing at the calling rank come as
// no elements of MPI_BYTE. Those that are not made by a template are in immediate_reductions.cpp.
#pragma once

#include "api/collective_arguments.hpp"
#include "api/collective_forms.hpp"

namespace lisle::api {

void barrier(communicator &comm);
inline constexpr auto &ibarrier = abi::forms<abi::barrier_plan>::nonblocking;
inline constexpr auto &barrier_init = abi::forms<abi::barrier_plan>::persistent;

inline constexpr auto &bcast = abi::forms<abi::bcast_plan>::blocking;
inline constexpr auto &ibcast = abi::forms<abi::bcast_plan>::nonblocking;
inline constexpr auto &bcast_init = abi::forms<abi::bcast_plan>::persistent;

inline constexpr auto &gather = abi::forms<abi::gather_plan>::blocking;
inline constexpr auto &igather = abi::forms<abi::gather_plan>::nonblocking;
inline constexpr auto &gather_init = abi::forms<abi::gather_plan>::persistent;

inline constexpr auto &gatherv = abi::forms<abi::gatherv_plan>::blocking;
inline constexpr auto &igatherv = abi::forms<abi::gatherv_plan>::nonblocking;
inline constexpr auto &gatherv_init = abi::forms<abi::gatherv_plan>::persistent;

inline constexpr auto &scatter = abi::forms<abi::scatter_plan>::blocking;
inline constexpr auto &iscatter = abi::forms<abi::scatter_plan>::nonblocking;
inline constexpr auto &scatter_init = abi::forms<abi::scatter_plan>::persistent;

inline constexpr auto &scatterv = abi::forms<abi::scatterv_plan>::blocking;
inline constexpr auto &iscatterv = abi::forms<abi::scatterv_plan>::nonblocking;
inline constexpr auto &scatterv_init = abi::forms<abi::scatterv_plan>::persistent;

inline constexpr auto &allgather = abi::forms<abi::allgather_plan>::blocking;
inline constexpr auto &iallgather = abi::forms<abi::allgather_plan>::nonblocking;
inline constexpr auto &allgather_init = abi::forms<abi::allgather_plan>::persistent;

inline constexpr auto &allgatherv = abi::forms<abi::allgatherv_plan>::blocking;
inline constexpr auto &iallgatherv = abi::forms<abi::allgatherv_plan>::nonblocking;
inline constexpr auto &allgatherv_init = abi::forms<abi::allgatherv_plan>::persistent;

inline constexpr auto &alltoall = abi::forms<abi::alltoall_plan>::blocking;
inline constexpr auto &ialltoall = abi::forms<abi::alltoall_plan>::nonblocking;
inline constexpr auto &alltoall_init = abi::forms<abi::alltoall_plan>::persistent;

inline constexpr auto &alltoallv = abi::forms<abi::alltoallv_plan>::blocking;
inline constexpr auto &ialltoallv = abi::forms<abi::alltoallv_plan>::nonblocking;
inline constexpr auto &alltoallv_init = abi::forms<abi::alltoallv_plan>::persistent;

inline constexpr auto &alltoallw = abi::forms<abi::alltoallw_plan>::blocking;
inline constexpr auto &ialltoallw = abi::forms<abi::alltoallw_plan>::nonblocking;
inline constexpr auto &alltoallw_init = abi::forms<abi::alltoallw_plan>::persistent;

inline constexpr auto &reduce = abi::forms<abi::reduce_plan>::blocking;
inline constexpr auto &ireduce = abi::forms<abi::reduce_plan>::nonblocking;
inline constexpr auto &reduce_init = abi::forms<abi::reduce_plan>::persistent;

void allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &reduction,
               communicator &comm);
inline constexpr auto &iallreduce = abi::forms<abi::allreduce_plan>::nonblocking;
inline constexpr auto &allreduce_init = abi::forms<abi::allreduce_plan>::persistent;

inline constexpr auto &reduce_scatter_block = abi::forms<abi::reduce_scatter_block_plan>::blocking;
inline constexpr auto &ireduce_scatter_block = abi::forms<abi::reduce_scatter_block_plan>::nonblocking;
inline constexpr auto &reduce_scatter_block_init = abi::forms<abi::reduce_scatter_block_plan>::persistent;

inline constexpr auto &reduce_scatter = abi::forms<abi::reduce_scatter_plan>::blocking;
inline constexpr auto &ireduce_scatter = abi::forms<abi::reduce_scatter_plan>::nonblocking;
inline constexpr auto &reduce_scatter_init = abi::forms<abi::reduce_scatter_plan>::persistent;

void scan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &reduction,
          communicator &comm);
inline constexpr auto &iscan = abi::forms<abi::scan_plan>::nonblocking;
inline constexpr auto &scan_init = abi::forms<abi::scan_plan>::persistent;

void exscan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &reduction,
            communicator &comm);
inline constexpr auto &iexscan = abi::forms<abi::exscan_plan>::nonblocking;
inline constexpr auto &exscan_init = abi::forms<abi::exscan_plan>::persistent;

} // namespace lisle::api
