// SPDX-License-Identifier: Apache-2.0
// From the arguments of a collective call to its schedule, for all forms alike: turns addresses, counts and
// types into buffers, recognises MPI_IN_PLACE, and checks what the entry points could not: arrays whose
// length is the communicator's, buffers that are one, MPI_IN_PLACE where it has no place.
#pragma once

#include "collective/call.hpp"
#include "collective/steps/schedule.hpp"
#include "datatype/count_list.hpp"

namespace lisle::abi {

/// For buffers that are not two usual ones.
void check_reduction_further(const communicator &comm, const void *sendbuf, const void *recvbuf,
                             MPI_Count count, const datatype &type);
[[nodiscard]] inline bool is_usual_address(const void *address) noexcept {
    return address != MPI_IN_PLACE && address != MPI_BOTTOM;
}
/// Throws if the buffers of a reduction cannot be what the user means.
inline void check_reduction(const communicator &comm, const void *sendbuf, const void *recvbuf,
                            MPI_Count count, const datatype &type) {
    if (!is_usual_address(sendbuf) || !is_usual_address(recvbuf) || sendbuf == recvbuf) [[unlikely]] {
        check_reduction_further(comm, sendbuf, recvbuf, count, type);
    }
}

[[nodiscard]] collective::schedule barrier_plan(const collective::collective_call &on);
[[nodiscard]] collective::schedule bcast_plan(const collective::collective_call &on, void *buffer,
                                              MPI_Count count, const datatype &type, int root);
[[nodiscard]] collective::schedule gather_plan(const collective::collective_call &on, const void *sendbuf,
                                               MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                                               MPI_Count recvcount, const datatype &recvtype, int root);
[[nodiscard]] collective::schedule gatherv_plan(const collective::collective_call &on, const void *sendbuf,
                                                MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                                                count_list recvcounts, count_list displs,
                                                const datatype &recvtype, int root);
[[nodiscard]] collective::schedule scatter_plan(const collective::collective_call &on, const void *sendbuf,
                                                MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                                                MPI_Count recvcount, const datatype &recvtype, int root);
[[nodiscard]] collective::schedule scatterv_plan(const collective::collective_call &on, const void *sendbuf,
                                                 count_list sendcounts, count_list displs,
                                                 const datatype &sendtype, void *recvbuf, MPI_Count recvcount,
                                                 const datatype &recvtype, int root);
[[nodiscard]] collective::schedule allgather_plan(const collective::collective_call &on, const void *sendbuf,
                                                  MPI_Count sendcount, const datatype &sendtype,
                                                  void *recvbuf, MPI_Count recvcount,
                                                  const datatype &recvtype);
[[nodiscard]] collective::schedule allgatherv_plan(const collective::collective_call &on, const void *sendbuf,
                                                   MPI_Count sendcount, const datatype &sendtype,
                                                   void *recvbuf, count_list recvcounts, count_list displs,
                                                   const datatype &recvtype);
[[nodiscard]] collective::schedule alltoall_plan(const collective::collective_call &on, const void *sendbuf,
                                                 MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                                                 MPI_Count recvcount, const datatype &recvtype);
[[nodiscard]] collective::schedule alltoallv_plan(const collective::collective_call &on, const void *sendbuf,
                                                  count_list sendcounts, count_list sdispls,
                                                  const datatype &sendtype, void *recvbuf,
                                                  count_list recvcounts, count_list rdispls,
                                                  const datatype &recvtype);
[[nodiscard]] collective::schedule alltoallw_plan(const collective::collective_call &on, const void *sendbuf,
                                                  count_list sendcounts, count_list sdispls,
                                                  const MPI_Datatype *sendtypes, void *recvbuf,
                                                  count_list recvcounts, count_list rdispls,
                                                  const MPI_Datatype *recvtypes);
[[nodiscard]] collective::schedule reduce_plan(const collective::collective_call &on, const void *sendbuf,
                                               void *recvbuf, MPI_Count count, const datatype &type,
                                               const op &operation, int root);
[[nodiscard]] collective::schedule allreduce_plan(const collective::collective_call &on, const void *sendbuf,
                                                  void *recvbuf, MPI_Count count, const datatype &type,
                                                  const op &operation);
[[nodiscard]] collective::schedule reduce_scatter_block_plan(const collective::collective_call &on,
                                                             const void *sendbuf, void *recvbuf,
                                                             MPI_Count recvcount, const datatype &type,
                                                             const op &operation);
[[nodiscard]] collective::schedule reduce_scatter_plan(const collective::collective_call &on,
                                                       const void *sendbuf, void *recvbuf,
                                                       count_list recvcounts, const datatype &type,
                                                       const op &operation);
[[nodiscard]] collective::schedule scan_plan(const collective::collective_call &on, const void *sendbuf,
                                             void *recvbuf, MPI_Count count, const datatype &type,
                                             const op &operation);
[[nodiscard]] collective::schedule exscan_plan(const collective::collective_call &on, const void *sendbuf,
                                               void *recvbuf, MPI_Count count, const datatype &type,
                                               const op &operation);

} // namespace lisle::abi
