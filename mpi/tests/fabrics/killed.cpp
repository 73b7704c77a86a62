// SPDX-License-Identifier: Apache-2.0
// One of the two fabrics dies: what needs it ends with MPIX_ERR_PROC_FAILED, what is under way included, and
// the rest goes on. Run with the library of two_fabrics.cpp on 4 ranks: killed (within|between).
#include "check.hpp"
#include "two_fabrics.h"

#include <array>
#include <cstring>
#include <vector>

namespace {

int wait_for(MPI_Request &request) {
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Messages of some sizes to a peer and back.
void exchange_with(int peer, const MPI_Comm &comm) {
    for (const int bytes : {8, 1000, 300000}) {
        std::vector<char> out(static_cast<std::size_t>(bytes), 'x'), in(out.size());
        CHECK_MPI(MPI_Sendrecv(out.data(), bytes, MPI_BYTE, peer, 1, in.data(), bytes, MPI_BYTE, peer, 1,
                               comm, MPI_STATUS_IGNORE));
        CHECK(in == out);
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    if (two_fabrics_kill == nullptr || argc != 2) {
        std::fprintf(stderr,
                     "killed (within|between), with the library of two_fabrics.cpp (LD_LIBRARY_PATH)\n");
        return 1;
    }
    CHECK_EQ(job.size, 4);
    const bool within = std::strcmp(argv[1], "within") == 0;
    // A peer over the fabric that dies, and one over the other.
    const int lost = within ? job.rank ^ 1 : job.rank ^ 2, kept = within ? job.rank ^ 2 : job.rank ^ 1;
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    MPI_Comm survivors = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, within ? job.rank % 2 : job.rank / 2, 0, &survivors));
    CHECK_MPI(MPI_Comm_set_errhandler(survivors, MPI_ERRORS_RETURN));
    exchange_with(lost, MPI_COMM_WORLD);
    exchange_with(kept, MPI_COMM_WORLD);

    // Under way when it happens: receives from both peers and from any, and a long send that nobody receives.
    int from_lost = 0, from_kept = 0, from_any = 0;
    std::vector<char> long_data(1 << 20);
    std::array<MPI_Request, 4> requests{};
    CHECK_MPI(MPI_Irecv(&from_lost, 1, MPI_INT, lost, 2, MPI_COMM_WORLD, requests.data()));
    CHECK_MPI(MPI_Irecv(&from_kept, 1, MPI_INT, kept, 3, MPI_COMM_WORLD, &requests[1]));
    CHECK_MPI(MPI_Irecv(&from_any, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[2]));
    CHECK_MPI(MPI_Isend(long_data.data(), 1 << 20, MPI_BYTE, lost, 5, MPI_COMM_WORLD, &requests[3]));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    int word = 0;
    // Rank 0 hears that all have left the barrier, and kills.
    if (job.rank != 0) {
        CHECK_MPI(MPI_Send(&word, 1, MPI_INT, 0, 6, MPI_COMM_WORLD));
    } else {
        for (int other = 1; other < job.size; ++other)
            CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        two_fabrics_kill(within ? fabric_within_half : fabric_between_halves);
    }

    CHECK_ERROR(MPIX_ERR_PROC_FAILED, wait_for(requests[0]));
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, wait_for(requests[2])); // it could be what that one waits for
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, wait_for(requests[3]));
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, MPI_Send(&word, 1, MPI_INT, lost, 7, MPI_COMM_WORLD));
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, MPI_Ssend(&word, 1, MPI_INT, lost, 7, MPI_COMM_WORLD));
    CHECK_ERROR(MPIX_ERR_PROC_FAILED,
                MPI_Recv(&word, 1, MPI_INT, lost, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));

    // The peer too has seen its receive from any end with the error, before the message that would match it.
    exchange_with(kept, MPI_COMM_WORLD);
    // The rest goes on: what was posted before, point-to-point and collectives.
    const int own = 10 + job.rank;
    CHECK_MPI(MPI_Send(&own, 1, MPI_INT, kept, 3, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Send(&own, 1, MPI_INT, kept, 4, MPI_COMM_WORLD));
    CHECK_MPI(wait_for(requests[1]));
    CHECK_MPI(MPI_Recv(&from_any, 1, MPI_INT, kept, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(from_kept, 10 + kept);
    CHECK_EQ(from_any, 10 + kept);
    exchange_with(kept, MPI_COMM_WORLD);
    int sum = 0;
    CHECK_MPI(MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, survivors));
    CHECK_EQ(sum, own + 10 + kept);
    CHECK_MPI(MPI_Comm_free(&survivors));
    return 0;
}
