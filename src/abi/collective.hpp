// SPDX-License-Identifier: Apache-2.0
// The collective calls, each in its blocking, non-blocking and persistent form. The generated entry points
// have checked what can be checked call by call; arguments that mean nothing at the calling rank come as
// no elements of MPI_BYTE.
#pragma once

#include "abi/count_list.hpp"
#include "collective/op.hpp"
#include "communicator/communicator.hpp"
#include "communicator/info.hpp"
#include "datatype/datatype.hpp"

namespace lisle::api {

void barrier(communicator &comm);
void ibarrier(communicator &comm, MPI_Request *request);
void barrier_init(communicator &comm, info *, MPI_Request *request);

void bcast(void *buffer, MPI_Count count, const datatype &type, int root, communicator &comm);
void ibcast(void *buffer, MPI_Count count, const datatype &type, int root, communicator &comm,
            MPI_Request *request);
void bcast_init(void *buffer, MPI_Count count, const datatype &type, int root, communicator &comm, info *,
                MPI_Request *request);

void gather(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
            MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm);
void igather(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
             MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm,
             MPI_Request *request);
void gather_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                 MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm, info *,
                 MPI_Request *request);

void gatherv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
             count_list recvcounts, count_list displs, const datatype &recvtype, int root,
             communicator &comm);
void igatherv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
              count_list recvcounts, count_list displs, const datatype &recvtype, int root,
              communicator &comm, MPI_Request *request);
void gatherv_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                  count_list recvcounts, count_list displs, const datatype &recvtype, int root,
                  communicator &comm, info *, MPI_Request *request);

void scatter(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
             MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm);
void iscatter(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
              MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm,
              MPI_Request *request);
void scatter_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                  MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm, info *,
                  MPI_Request *request);

void scatterv(const void *sendbuf, count_list sendcounts, count_list displs, const datatype &sendtype,
              void *recvbuf, MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm);
void iscatterv(const void *sendbuf, count_list sendcounts, count_list displs, const datatype &sendtype,
               void *recvbuf, MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm,
               MPI_Request *request);
void scatterv_init(const void *sendbuf, count_list sendcounts, count_list displs, const datatype &sendtype,
                   void *recvbuf, MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm,
                   info *, MPI_Request *request);

void allgather(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
               MPI_Count recvcount, const datatype &recvtype, communicator &comm);
void iallgather(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                MPI_Count recvcount, const datatype &recvtype, communicator &comm, MPI_Request *request);
void allgather_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                    MPI_Count recvcount, const datatype &recvtype, communicator &comm, info *,
                    MPI_Request *request);

void allgatherv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                count_list recvcounts, count_list displs, const datatype &recvtype, communicator &comm);
void iallgatherv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                 count_list recvcounts, count_list displs, const datatype &recvtype, communicator &comm,
                 MPI_Request *request);
void allgatherv_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                     count_list recvcounts, count_list displs, const datatype &recvtype, communicator &comm,
                     info *, MPI_Request *request);

void alltoall(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
              MPI_Count recvcount, const datatype &recvtype, communicator &comm);
void ialltoall(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
               MPI_Count recvcount, const datatype &recvtype, communicator &comm, MPI_Request *request);
void alltoall_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                   MPI_Count recvcount, const datatype &recvtype, communicator &comm, info *,
                   MPI_Request *request);

void alltoallv(const void *sendbuf, count_list sendcounts, count_list sdispls, const datatype &sendtype,
               void *recvbuf, count_list recvcounts, count_list rdispls, const datatype &recvtype,
               communicator &comm);
void ialltoallv(const void *sendbuf, count_list sendcounts, count_list sdispls, const datatype &sendtype,
                void *recvbuf, count_list recvcounts, count_list rdispls, const datatype &recvtype,
                communicator &comm, MPI_Request *request);
void alltoallv_init(const void *sendbuf, count_list sendcounts, count_list sdispls, const datatype &sendtype,
                    void *recvbuf, count_list recvcounts, count_list rdispls, const datatype &recvtype,
                    communicator &comm, info *, MPI_Request *request);

void alltoallw(const void *sendbuf, count_list sendcounts, count_list sdispls, const MPI_Datatype *sendtypes,
               void *recvbuf, count_list recvcounts, count_list rdispls, const MPI_Datatype *recvtypes,
               communicator &comm);
void ialltoallw(const void *sendbuf, count_list sendcounts, count_list sdispls, const MPI_Datatype *sendtypes,
                void *recvbuf, count_list recvcounts, count_list rdispls, const MPI_Datatype *recvtypes,
                communicator &comm, MPI_Request *request);
void alltoallw_init(const void *sendbuf, count_list sendcounts, count_list sdispls,
                    const MPI_Datatype *sendtypes, void *recvbuf, count_list recvcounts, count_list rdispls,
                    const MPI_Datatype *recvtypes, communicator &comm, info *, MPI_Request *request);

void reduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
            int root, communicator &comm);
void ireduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
             int root, communicator &comm, MPI_Request *request);
void reduce_init(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type,
                 const op &operation, int root, communicator &comm, info *, MPI_Request *request);

void allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
               communicator &comm);
void iallreduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type,
                const op &operation, communicator &comm, MPI_Request *request);
void allreduce_init(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type,
                    const op &operation, communicator &comm, info *, MPI_Request *request);

void reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, const datatype &type,
                          const op &operation, communicator &comm);
void ireduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, const datatype &type,
                           const op &operation, communicator &comm, MPI_Request *request);
void reduce_scatter_block_init(const void *sendbuf, void *recvbuf, MPI_Count recvcount, const datatype &type,
                               const op &operation, communicator &comm, info *, MPI_Request *request);

void reduce_scatter(const void *sendbuf, void *recvbuf, count_list recvcounts, const datatype &type,
                    const op &operation, communicator &comm);
void ireduce_scatter(const void *sendbuf, void *recvbuf, count_list recvcounts, const datatype &type,
                     const op &operation, communicator &comm, MPI_Request *request);
void reduce_scatter_init(const void *sendbuf, void *recvbuf, count_list recvcounts, const datatype &type,
                         const op &operation, communicator &comm, info *, MPI_Request *request);

void scan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
          communicator &comm);
void iscan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
           communicator &comm, MPI_Request *request);
void scan_init(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
               communicator &comm, info *, MPI_Request *request);

void exscan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
            communicator &comm);
void iexscan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
             communicator &comm, MPI_Request *request);
void exscan_init(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type,
                 const op &operation, communicator &comm, info *, MPI_Request *request);

} // namespace lisle::api
