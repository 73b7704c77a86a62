// SPDX-License-Identifier: Apache-2.0
// Each call builds its schedule; the three forms differ in how they launch it. Info hints of the
// persistent form are not used.
#include "abi/collective.hpp"

#include "abi/collective_arguments.hpp"
#include "abi/request.hpp"
#include "collective/launch.hpp"
#include "collective/meeting.hpp"

namespace lisle::api {

using collective::prepare;
using collective::run;
using collective::start;

namespace {

void give(MPI_Request *handle, communicator &comm, protocol::request *made) {
    *handle = abi::give_request(made, &comm);
}

} // namespace

void barrier(communicator &comm) {
    if (!collective::meet(comm)) {
        run(comm, abi::barrier_plan(comm));
    }
}

void ibarrier(communicator &comm, MPI_Request *request) {
    give(request, comm, start(comm, abi::barrier_plan(comm)));
}

void barrier_init(communicator &comm, info *, MPI_Request *request) {
    give(request, comm, prepare(comm, abi::barrier_plan({comm, true})));
}

void bcast(void *buffer, MPI_Count count, const datatype &type, int root, communicator &comm) {
    run(comm, abi::bcast_plan(buffer, count, type, root, comm));
}

void ibcast(void *buffer, MPI_Count count, const datatype &type, int root, communicator &comm,
            MPI_Request *request) {
    give(request, comm, start(comm, abi::bcast_plan(buffer, count, type, root, comm)));
}

void bcast_init(void *buffer, MPI_Count count, const datatype &type, int root, communicator &comm, info *,
                MPI_Request *request) {
    give(request, comm, prepare(comm, abi::bcast_plan(buffer, count, type, root, {comm, true})));
}

void gather(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
            MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm) {
    run(comm, abi::gather_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
}

void igather(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
             MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm,
             MPI_Request *request) {
    give(request, comm,
         start(comm,
               abi::gather_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm)));
}

void gather_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                 MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm, info *,
                 MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::gather_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                                        {comm, true})));
}

void gatherv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
             count_list recvcounts, count_list displs, const datatype &recvtype, int root,
             communicator &comm) {
    run(comm,
        abi::gatherv_plan(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm));
}

void igatherv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
              count_list recvcounts, count_list displs, const datatype &recvtype, int root,
              communicator &comm, MPI_Request *request) {
    give(request, comm,
         start(comm, abi::gatherv_plan(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                       root, comm)));
}

void gatherv_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                  count_list recvcounts, count_list displs, const datatype &recvtype, int root,
                  communicator &comm, info *, MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::gatherv_plan(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                         root, {comm, true})));
}

void scatter(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
             MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm) {
    run(comm, abi::scatter_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
}

void iscatter(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
              MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm,
              MPI_Request *request) {
    give(request, comm,
         start(comm,
               abi::scatter_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm)));
}

void scatter_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                  MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm, info *,
                  MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::scatter_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                                         {comm, true})));
}

void scatterv(const void *sendbuf, count_list sendcounts, count_list displs, const datatype &sendtype,
              void *recvbuf, MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm) {
    run(comm,
        abi::scatterv_plan(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm));
}

void iscatterv(const void *sendbuf, count_list sendcounts, count_list displs, const datatype &sendtype,
               void *recvbuf, MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm,
               MPI_Request *request) {
    give(request, comm,
         start(comm, abi::scatterv_plan(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                                        root, comm)));
}

void scatterv_init(const void *sendbuf, count_list sendcounts, count_list displs, const datatype &sendtype,
                   void *recvbuf, MPI_Count recvcount, const datatype &recvtype, int root, communicator &comm,
                   info *, MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::scatterv_plan(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                                          root, {comm, true})));
}

void allgather(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
               MPI_Count recvcount, const datatype &recvtype, communicator &comm) {
    run(comm, abi::allgather_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
}

void iallgather(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                MPI_Count recvcount, const datatype &recvtype, communicator &comm, MPI_Request *request) {
    give(request, comm,
         start(comm, abi::allgather_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)));
}

void allgather_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                    MPI_Count recvcount, const datatype &recvtype, communicator &comm, info *,
                    MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::allgather_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                           {comm, true})));
}

void allgatherv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                count_list recvcounts, count_list displs, const datatype &recvtype, communicator &comm) {
    run(comm,
        abi::allgatherv_plan(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm));
}

void iallgatherv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                 count_list recvcounts, count_list displs, const datatype &recvtype, communicator &comm,
                 MPI_Request *request) {
    give(request, comm,
         start(comm, abi::allgatherv_plan(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                          comm)));
}

void allgatherv_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                     count_list recvcounts, count_list displs, const datatype &recvtype, communicator &comm,
                     info *, MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::allgatherv_plan(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                            recvtype, {comm, true})));
}

void alltoall(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
              MPI_Count recvcount, const datatype &recvtype, communicator &comm) {
    run(comm, abi::alltoall_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
}

void ialltoall(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
               MPI_Count recvcount, const datatype &recvtype, communicator &comm, MPI_Request *request) {
    give(request, comm,
         start(comm, abi::alltoall_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)));
}

void alltoall_init(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, void *recvbuf,
                   MPI_Count recvcount, const datatype &recvtype, communicator &comm, info *,
                   MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::alltoall_plan(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                          {comm, true})));
}

void alltoallv(const void *sendbuf, count_list sendcounts, count_list sdispls, const datatype &sendtype,
               void *recvbuf, count_list recvcounts, count_list rdispls, const datatype &recvtype,
               communicator &comm) {
    run(comm, abi::alltoallv_plan(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                  recvtype, comm));
}

void ialltoallv(const void *sendbuf, count_list sendcounts, count_list sdispls, const datatype &sendtype,
                void *recvbuf, count_list recvcounts, count_list rdispls, const datatype &recvtype,
                communicator &comm, MPI_Request *request) {
    give(request, comm,
         start(comm, abi::alltoallv_plan(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                         recvtype, comm)));
}

void alltoallv_init(const void *sendbuf, count_list sendcounts, count_list sdispls, const datatype &sendtype,
                    void *recvbuf, count_list recvcounts, count_list rdispls, const datatype &recvtype,
                    communicator &comm, info *, MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::alltoallv_plan(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                           rdispls, recvtype, {comm, true})));
}

void alltoallw(const void *sendbuf, count_list sendcounts, count_list sdispls, const MPI_Datatype *sendtypes,
               void *recvbuf, count_list recvcounts, count_list rdispls, const MPI_Datatype *recvtypes,
               communicator &comm) {
    run(comm, abi::alltoallw_plan(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                  recvtypes, comm));
}

void ialltoallw(const void *sendbuf, count_list sendcounts, count_list sdispls, const MPI_Datatype *sendtypes,
                void *recvbuf, count_list recvcounts, count_list rdispls, const MPI_Datatype *recvtypes,
                communicator &comm, MPI_Request *request) {
    give(request, comm,
         start(comm, abi::alltoallw_plan(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                         rdispls, recvtypes, comm)));
}

void alltoallw_init(const void *sendbuf, count_list sendcounts, count_list sdispls,
                    const MPI_Datatype *sendtypes, void *recvbuf, count_list recvcounts, count_list rdispls,
                    const MPI_Datatype *recvtypes, communicator &comm, info *, MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::alltoallw_plan(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                           rdispls, recvtypes, {comm, true})));
}

void reduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
            int root, communicator &comm) {
    run(comm, abi::reduce_plan(sendbuf, recvbuf, count, type, operation, root, comm));
}

void ireduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
             int root, communicator &comm, MPI_Request *request) {
    give(request, comm, start(comm, abi::reduce_plan(sendbuf, recvbuf, count, type, operation, root, comm)));
}

void reduce_init(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type,
                 const op &operation, int root, communicator &comm, info *, MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::reduce_plan(sendbuf, recvbuf, count, type, operation, root, {comm, true})));
}

void allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
               communicator &comm) {
    abi::check_reduction(comm, sendbuf, recvbuf, count, type);
    const void *const given = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    if (!collective::meet(comm, {given, count, type}, {recvbuf, count, type}, operation)) {
        run(comm, abi::allreduce_plan(sendbuf, recvbuf, count, type, operation, comm));
    }
}

void iallreduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type,
                const op &operation, communicator &comm, MPI_Request *request) {
    give(request, comm, start(comm, abi::allreduce_plan(sendbuf, recvbuf, count, type, operation, comm)));
}

void allreduce_init(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type,
                    const op &operation, communicator &comm, info *, MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::allreduce_plan(sendbuf, recvbuf, count, type, operation, {comm, true})));
}

void reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, const datatype &type,
                          const op &operation, communicator &comm) {
    run(comm, abi::reduce_scatter_block_plan(sendbuf, recvbuf, recvcount, type, operation, comm));
}

void ireduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, const datatype &type,
                           const op &operation, communicator &comm, MPI_Request *request) {
    give(request, comm,
         start(comm, abi::reduce_scatter_block_plan(sendbuf, recvbuf, recvcount, type, operation, comm)));
}

void reduce_scatter_block_init(const void *sendbuf, void *recvbuf, MPI_Count recvcount, const datatype &type,
                               const op &operation, communicator &comm, info *, MPI_Request *request) {
    give(request, comm,
         prepare(comm,
                 abi::reduce_scatter_block_plan(sendbuf, recvbuf, recvcount, type, operation, {comm, true})));
}

void reduce_scatter(const void *sendbuf, void *recvbuf, count_list recvcounts, const datatype &type,
                    const op &operation, communicator &comm) {
    run(comm, abi::reduce_scatter_plan(sendbuf, recvbuf, recvcounts, type, operation, comm));
}

void ireduce_scatter(const void *sendbuf, void *recvbuf, count_list recvcounts, const datatype &type,
                     const op &operation, communicator &comm, MPI_Request *request) {
    give(request, comm,
         start(comm, abi::reduce_scatter_plan(sendbuf, recvbuf, recvcounts, type, operation, comm)));
}

void reduce_scatter_init(const void *sendbuf, void *recvbuf, count_list recvcounts, const datatype &type,
                         const op &operation, communicator &comm, info *, MPI_Request *request) {
    give(
        request, comm,
        prepare(comm, abi::reduce_scatter_plan(sendbuf, recvbuf, recvcounts, type, operation, {comm, true})));
}

void scan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
          communicator &comm) {
    run(comm, abi::scan_plan(sendbuf, recvbuf, count, type, operation, comm));
}

void iscan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
           communicator &comm, MPI_Request *request) {
    give(request, comm, start(comm, abi::scan_plan(sendbuf, recvbuf, count, type, operation, comm)));
}

void scan_init(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
               communicator &comm, info *, MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::scan_plan(sendbuf, recvbuf, count, type, operation, {comm, true})));
}

void exscan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
            communicator &comm) {
    run(comm, abi::exscan_plan(sendbuf, recvbuf, count, type, operation, comm));
}

void iexscan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &operation,
             communicator &comm, MPI_Request *request) {
    give(request, comm, start(comm, abi::exscan_plan(sendbuf, recvbuf, count, type, operation, comm)));
}

void exscan_init(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type,
                 const op &operation, communicator &comm, info *, MPI_Request *request) {
    give(request, comm,
         prepare(comm, abi::exscan_plan(sendbuf, recvbuf, count, type, operation, {comm, true})));
}

} // namespace lisle::api
