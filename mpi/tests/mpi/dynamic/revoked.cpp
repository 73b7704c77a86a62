// SPDX-License-Identifier: Apache-2.0
// A revoked communicator refuses what needs no peer, too: messages to and from MPI_PROC_NULL, and collectives
// that a communicator of one rank does alone.
#include "check.hpp"

namespace {

constexpr int nobody = MPI_PROC_NULL;

void refuses_blocking_messages(MPI_Comm comm) {
    int value = 0;
    CHECK_ERROR(MPIX_ERR_REVOKED, MPI_Send(&value, 1, MPI_INT, nobody, 0, comm));
    CHECK_ERROR(MPIX_ERR_REVOKED, MPI_Ssend(&value, 1, MPI_INT, nobody, 0, comm));
    CHECK_ERROR(MPIX_ERR_REVOKED, MPI_Recv(&value, 1, MPI_INT, nobody, 0, comm, MPI_STATUS_IGNORE));
    CHECK_ERROR(MPIX_ERR_REVOKED, MPI_Sendrecv(&value, 1, MPI_INT, nobody, 0, &value, 0, MPI_INT, nobody, 0,
                                               comm, MPI_STATUS_IGNORE));
}

void refuses_other_messages(MPI_Comm comm) {
    int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_ERROR(MPIX_ERR_REVOKED, MPI_Isend(&value, 1, MPI_INT, nobody, 0, comm, &request));
    CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, nobody, 0, comm, &request));
    CHECK_ERROR(MPIX_ERR_REVOKED, MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Request lasting[2] = {};
    CHECK_MPI(MPI_Send_init(&value, 1, MPI_INT, nobody, 0, comm, &lasting[0]));
    CHECK_MPI(MPI_Recv_init(&value, 1, MPI_INT, nobody, 0, comm, &lasting[1]));
    for (MPI_Request &each : lasting) {
        CHECK_MPI(MPI_Start(&each));
        CHECK_ERROR(MPIX_ERR_REVOKED, MPI_Wait(&each, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_Request_free(&each));
    }
}

void refuses_collectives(MPI_Comm comm) {
    int value = 1, sum = 0;
    CHECK_ERROR(MPIX_ERR_REVOKED, MPI_Barrier(comm));
    CHECK_ERROR(MPIX_ERR_REVOKED, MPI_Bcast(&value, 1, MPI_INT, 0, comm));
    CHECK_ERROR(MPIX_ERR_REVOKED, MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_ERROR(MPIX_ERR_REVOKED, MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, comm));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    for (const MPI_Comm from : {MPI_COMM_SELF, MPI_COMM_WORLD}) {
        MPI_Comm comm = MPI_COMM_NULL;
        CHECK_MPI(MPI_Comm_dup(from, &comm));
        CHECK_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
        CHECK_MPI(MPI_Send(nullptr, 0, MPI_INT, nobody, 0, comm));
        CHECK_MPI(MPI_Barrier(comm));
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); // a revocation ends barriers under way, too
        CHECK_MPI(MPIX_Comm_revoke(comm));
        refuses_blocking_messages(comm);
        refuses_other_messages(comm);
        refuses_collectives(comm);
        CHECK_MPI(MPI_Comm_free(&comm));
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}
