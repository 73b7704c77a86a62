// SPDX-License-Identifier: Apache-2.0
// Neighbourhood collectives [MPI-5.0 8.6 to 8.9] in all three forms.
#pragma once

#include "abi/count_list.hpp"
#include "communicator/communicator.hpp"
#include "communicator/info.hpp"
#include "datatype/datatype.hpp"
#include "mpi.h"

namespace lisle::api {

void neighbor_allgather(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                        MPI_Count recvcount, const datatype &recvtype, communicator &comm);
void ineighbor_allgather(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                         MPI_Count recvcount, const datatype &recvtype, communicator &comm,
                         MPI_Request *request);
void neighbor_allgather_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype,
                             void *recvbuf, MPI_Count recvcount, const datatype &recvtype, communicator &comm,
                             info *hints, MPI_Request *request);

void neighbor_allgatherv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                         count_list recvcounts, count_list displs, const datatype &recvtype,
                         communicator &comm);
void ineighbor_allgatherv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                          count_list recvcounts, count_list displs, const datatype &recvtype,
                          communicator &comm, MPI_Request *request);
void neighbor_allgatherv_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype,
                              void *recvbuf, count_list recvcounts, count_list displs,
                              const datatype &recvtype, communicator &comm, info *hints,
                              MPI_Request *request);

void neighbor_alltoall(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                       MPI_Count recvcount, const datatype &recvtype, communicator &comm);
void ineighbor_alltoall(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                        MPI_Count recvcount, const datatype &recvtype, communicator &comm,
                        MPI_Request *request);
void neighbor_alltoall_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                            MPI_Count recvcount, const datatype &recvtype, communicator &comm, info *hints,
                            MPI_Request *request);

void neighbor_alltoallv(const void *sendbuf, count_list sendcounts, count_list sdispls,
                        const datatype &sendtype, void *recvbuf, count_list recvcounts, count_list rdispls,
                        const datatype &recvtype, communicator &comm);
void ineighbor_alltoallv(const void *sendbuf, count_list sendcounts, count_list sdispls,
                         const datatype &sendtype, void *recvbuf, count_list recvcounts, count_list rdispls,
                         const datatype &recvtype, communicator &comm, MPI_Request *request);
void neighbor_alltoallv_init(const void *sendbuf, count_list sendcounts, count_list sdispls,
                             const datatype &sendtype, void *recvbuf, count_list recvcounts,
                             count_list rdispls, const datatype &recvtype, communicator &comm, info *hints,
                             MPI_Request *request);

void neighbor_alltoallw(const void *sendbuf, count_list sendcounts, const MPI_Aint *sdispls,
                        const MPI_Datatype *sendtypes, void *recvbuf, count_list recvcounts,
                        const MPI_Aint *rdispls, const MPI_Datatype *recvtypes, communicator &comm);
void ineighbor_alltoallw(const void *sendbuf, count_list sendcounts, const MPI_Aint *sdispls,
                         const MPI_Datatype *sendtypes, void *recvbuf, count_list recvcounts,
                         const MPI_Aint *rdispls, const MPI_Datatype *recvtypes, communicator &comm,
                         MPI_Request *request);
void neighbor_alltoallw_init(const void *sendbuf, count_list sendcounts, const MPI_Aint *sdispls,
                             const MPI_Datatype *sendtypes, void *recvbuf, count_list recvcounts,
                             const MPI_Aint *rdispls, const MPI_Datatype *recvtypes, communicator &comm,
                             info *hints, MPI_Request *request);

} // namespace lisle::api
