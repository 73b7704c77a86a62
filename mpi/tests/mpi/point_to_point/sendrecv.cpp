// SPDX-License-Identifier: Apache-2.0
// MPI_Sendrecv and its kin: shifts by every distance (0, hence to oneself, included), different sizes each
// way, replacing buffers with gaps, MPI_PROC_NULL at the edges, and the non-blocking forms.
#include "payload.hpp"

#include <array>
#include <string>
#include <vector>

namespace {

std::uint64_t seed_of(int sender, int distance, int round) {
    return static_cast<std::uint64_t>(sender * 1000 + distance * 17 + round);
}

/// How long rank `sender`'s message is: all ranks' differ.
std::size_t length_of(int sender, int round) {
    constexpr std::array<std::size_t, 6> lengths{0, 5, 300, 5000, 70000, 400000};
    return lengths[static_cast<std::size_t>(round)] + static_cast<std::size_t>(sender);
}

void shift(const check::job &job, int distance, int round) {
    const int right = (job.rank + distance) % job.size;
    const int left = (job.rank + job.size - distance) % job.size;
    const std::size_t out_bytes = length_of(job.rank, round);
    const std::size_t in_bytes = length_of(left, round);
    const std::string what = "shift by " + std::to_string(distance) + " in round " + std::to_string(round);
    guarded_buffer out(out_bytes);
    out.fill(seed_of(job.rank, distance, round));

    for (const bool blocking : {true, false}) {
        guarded_buffer in(in_bytes + 10);
        MPI_Status status;
        if (blocking) {
            CHECK_MPI(MPI_Sendrecv(out.data(), static_cast<int>(out_bytes), MPI_BYTE, right, round, in.data(),
                                   static_cast<int>(in_bytes + 10), MPI_BYTE, left, round, MPI_COMM_WORLD,
                                   &status));
        } else {
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Isendrecv(out.data(), static_cast<int>(out_bytes), MPI_BYTE, right, round,
                                    in.data(), static_cast<int>(in_bytes + 10), MPI_BYTE, left, MPI_ANY_TAG,
                                    MPI_COMM_WORLD, &request));
            CHECK_MPI(MPI_Wait(&request, &status));
        }
        CHECK_EQ(status.MPI_SOURCE, left);
        CHECK_EQ(status.MPI_TAG, round);
        int got = 0;
        CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &got));
        CHECK_EQ(static_cast<std::size_t>(got), in_bytes);
        in.expect(seed_of(left, distance, round), in_bytes, what);
    }
}

/// The replacing forms, with a strided type whose gaps must survive.
void replace(const check::job &job, int distance, int blocks) {
    const int right = (job.rank + distance) % job.size;
    const int left = (job.rank + job.size - distance) % job.size;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_vector(blocks, 5, 8, MPI_BYTE, &type));
    CHECK_MPI(MPI_Type_commit(&type));
    for (const bool blocking : {true, false}) {
        guarded_buffer both(static_cast<std::size_t>(blocks), 5, 8);
        both.fill(seed_of(job.rank, distance, blocks));
        MPI_Status status;
        if (blocking) {
            CHECK_MPI(MPI_Sendrecv_replace(both.data(), 1, type, right, 3, left, 3, MPI_COMM_WORLD, &status));
        } else {
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Isendrecv_replace(both.data(), 1, type, right, 3, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD,
                                            &request));
            CHECK_MPI(MPI_Wait(&request, &status));
            // With a wildcard, the next round's message of another rank must not come in here.
            CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        }
        CHECK_EQ(status.MPI_SOURCE, left);
        both.expect(seed_of(left, distance, blocks), "replace with distance " + std::to_string(distance));
    }
    CHECK_MPI(MPI_Type_free(&type));
}

/// A line of ranks rather than a ring: nothing comes in at the ends, and the status says so.
void line(const check::job &job) {
    const int right = job.rank + 1 < job.size ? job.rank + 1 : MPI_PROC_NULL;
    const int left = job.rank > 0 ? job.rank - 1 : MPI_PROC_NULL;
    int in = -5;
    MPI_Status status;
    CHECK_MPI(
        MPI_Sendrecv(&job.rank, 1, MPI_INT, right, 0, &in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &status));
    int got = -1;
    CHECK_MPI(MPI_Get_count(&status, MPI_INT, &got));
    if (left == MPI_PROC_NULL) {
        CHECK_EQ(in, -5);
        CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
        CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
        CHECK_EQ(got, 0);
    } else {
        CHECK_EQ(in, left);
        CHECK_EQ(got, 1);
    }
    // Alone with MPI_PROC_NULL: every call returns at once and does nothing.
    CHECK_MPI(MPI_Send(&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Ssend(&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Rsend(&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request));
    CHECK_MPI(MPI_Wait(&request, &status));
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_MPI(MPI_Probe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &status));
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    for (int distance = 0; distance < job.size; ++distance) {
        for (int round = 0; round < 6; ++round)
            shift(job, distance, round);
        for (const int blocks : {1, 10, 1000, 30000})
            replace(job, distance, blocks);
    }
    line(job);
}
