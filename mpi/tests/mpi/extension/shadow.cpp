// SPDX-License-Identifier: Apache-2.0
// MPIX_Comm_shadow: made without the other ranks, and nothing that is sent on it meets the messages of the
// communicator, of its duplicates or of their shadows; all of a communicator's ranks meet on it.
#include "../check.hpp"

#include <vector>

namespace {

/// A message and a collective on each of several communicators, the receives in another order.
void exchange(const std::vector<MPI_Comm> &comms, const check::job &job) {
    const int next = (job.rank + 1) % job.size;
    std::vector<MPI_Request> sends(comms.size());
    std::vector<int> out(comms.size());
    for (std::size_t i = 0; i < comms.size(); ++i) {
        out[i] = job.rank * 100 + static_cast<int>(i);
        CHECK_MPI(MPI_Isend(&out[i], 1, MPI_INT, next, 0, comms[i], &sends[i]));
    }
    for (std::size_t i = comms.size(); i-- > 0;) {
        int got = -1;
        CHECK_MPI(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], MPI_STATUS_IGNORE));
        CHECK_EQ(got, (job.rank + job.size - 1) % job.size * 100 + static_cast<int>(i));
    }
    CHECK_MPI(MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE));
    std::vector<MPI_Request> requests(comms.size());
    std::vector<int> sums(comms.size());
    for (std::size_t i = 0; i < comms.size(); ++i)
        CHECK_MPI(MPI_Iallreduce(&out[i], &sums[i], 1, MPI_INT, MPI_SUM, comms[i], &requests[i]));
    CHECK_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    for (std::size_t i = 0; i < comms.size(); ++i) {
        CHECK_EQ(sums[i], job.size * (job.size - 1) / 2 * 100 + job.size * static_cast<int>(i));
        int sum = 0;
        CHECK_MPI(MPI_Allreduce(&out[i], &sum, 1, MPI_INT, MPI_SUM, comms[i]));
        CHECK_EQ(sum, sums[i]);
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    // Local: rank 0 has made its own and sent on it before the others begin.
    MPI_Comm shadow = MPI_COMM_NULL;
    int word = 7;
    if (job.rank == 0) {
        CHECK_MPI(MPIX_Comm_shadow(MPI_COMM_WORLD, &shadow));
        for (int to = 1; to < job.size; ++to) {
            CHECK_MPI(MPI_Send(&word, 1, MPI_INT, to, 3, shadow));
            CHECK_MPI(MPI_Send(&word, 1, MPI_INT, to, 4, MPI_COMM_WORLD));
        }
    } else {
        MPI_Status status;
        CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        CHECK_EQ(status.MPI_TAG, 4);
        CHECK_MPI(MPIX_Comm_shadow(MPI_COMM_WORLD, &shadow));
        CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, 0, MPI_ANY_TAG, shadow, &status));
        CHECK_EQ(status.MPI_TAG, 3);
    }
    int compared = MPI_UNEQUAL;
    CHECK_MPI(MPI_Comm_compare(MPI_COMM_WORLD, shadow, &compared));
    CHECK_EQ(compared, MPI_CONGRUENT);

    MPI_Comm copy = MPI_COMM_NULL, next_copy = MPI_COMM_NULL, copys_shadow = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    CHECK_MPI(
        MPI_Comm_dup(shadow, &next_copy)); // what is derived from a shadow is a communicator like others
    CHECK_MPI(MPIX_Comm_shadow(copy, &copys_shadow));
    exchange({MPI_COMM_WORLD, shadow, copy, next_copy, copys_shadow}, job);

    MPI_Comm none = MPI_COMM_NULL;
    CHECK_ERROR(MPI_ERR_COMM, MPIX_Comm_shadow(shadow, &none));
    CHECK_ERROR(MPI_ERR_COMM, MPIX_Comm_shadow(MPI_COMM_NULL, &none));
    CHECK_ERROR(MPI_ERR_ARG, MPIX_Comm_shadow(MPI_COMM_WORLD, nullptr));
    // It lives on without what it was made of.
    CHECK_MPI(MPI_Comm_free(&copy));
    exchange({copys_shadow, next_copy}, job);
    for (MPI_Comm *each : {&shadow, &next_copy, &copys_shadow})
        CHECK_MPI(MPI_Comm_free(each));
    return 0;
}
