// SPDX-License-Identifier: Apache-2.0
// Neighbourhood collectives [MPI-5.0 8.6 to 8.9] in all three forms, and from their arguments to their
// schedules.
#pragma once

#include "api/collective_forms.hpp"
#include "datatype/count_list.hpp"

namespace lisle::abi {

[[nodiscard]] collective::schedule neighbor_allgather_plan(const collective::collective_call &on,
                                                           const void *sendbuf, MPI_Count sendcount,
                                                           const datatype &sendtype, void *recvbuf,
                                                           MPI_Count recvcount, const datatype &recvtype);
[[nodiscard]] collective::schedule neighbor_allgatherv_plan(const collective::collective_call &on,
                                                            const void *sendbuf, MPI_Count sendcount,
                                                            const datatype &sendtype, void *recvbuf,
                                                            count_list recvcounts, count_list displs,
                                                            const datatype &recvtype);
[[nodiscard]] collective::schedule neighbor_alltoall_plan(const collective::collective_call &on,
                                                          const void *sendbuf, MPI_Count sendcount,
                                                          const datatype &sendtype, void *recvbuf,
                                                          MPI_Count recvcount, const datatype &recvtype);
[[nodiscard]] collective::schedule neighbor_alltoallv_plan(const collective::collective_call &on,
                                                           const void *sendbuf, count_list sendcounts,
                                                           count_list sdispls, const datatype &sendtype,
                                                           void *recvbuf, count_list recvcounts,
                                                           count_list rdispls, const datatype &recvtype);
[[nodiscard]] collective::schedule
neighbor_alltoallw_plan(const collective::collective_call &on, const void *sendbuf, count_list sendcounts,
                        const MPI_Aint *sdispls, const MPI_Datatype *sendtypes, void *recvbuf,
                        count_list recvcounts, const MPI_Aint *rdispls, const MPI_Datatype *recvtypes);

} // namespace lisle::abi

namespace lisle::api {

inline constexpr auto &neighbor_allgather = abi::forms<abi::neighbor_allgather_plan>::blocking;
inline constexpr auto &ineighbor_allgather = abi::forms<abi::neighbor_allgather_plan>::nonblocking;
inline constexpr auto &neighbor_allgather_init = abi::forms<abi::neighbor_allgather_plan>::persistent;

inline constexpr auto &neighbor_allgatherv = abi::forms<abi::neighbor_allgatherv_plan>::blocking;
inline constexpr auto &ineighbor_allgatherv = abi::forms<abi::neighbor_allgatherv_plan>::nonblocking;
inline constexpr auto &neighbor_allgatherv_init = abi::forms<abi::neighbor_allgatherv_plan>::persistent;

inline constexpr auto &neighbor_alltoall = abi::forms<abi::neighbor_alltoall_plan>::blocking;
inline constexpr auto &ineighbor_alltoall = abi::forms<abi::neighbor_alltoall_plan>::nonblocking;
inline constexpr auto &neighbor_alltoall_init = abi::forms<abi::neighbor_alltoall_plan>::persistent;

inline constexpr auto &neighbor_alltoallv = abi::forms<abi::neighbor_alltoallv_plan>::blocking;
inline constexpr auto &ineighbor_alltoallv = abi::forms<abi::neighbor_alltoallv_plan>::nonblocking;
inline constexpr auto &neighbor_alltoallv_init = abi::forms<abi::neighbor_alltoallv_plan>::persistent;

inline constexpr auto &neighbor_alltoallw = abi::forms<abi::neighbor_alltoallw_plan>::blocking;
inline constexpr auto &ineighbor_alltoallw = abi::forms<abi::neighbor_alltoallw_plan>::nonblocking;
inline constexpr auto &neighbor_alltoallw_init = abi::forms<abi::neighbor_alltoallw_plan>::persistent;

} // namespace lisle::api
