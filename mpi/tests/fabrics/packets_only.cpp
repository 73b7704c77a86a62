// SPDX-License-Identifier: Apache-2.0
// A route that says packets only is obeyed between ranks of one process and one thread: what they send each
// other passes their fabric, as its counters show, and no memory changes owners. Run with the library of
// two_fabrics.cpp and an even number of ranks.
#include "check.hpp"
#include "two_fabrics.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace {

constexpr int rounds = 10;

/// Counts what a fabric carries while `exchange` runs, which must be all that runs in the job.
template <class Exchange> long packets_of(Exchange exchange, int fabric = fabric_within_half) {
    const long before = two_fabrics_packets(fabric);
    exchange();
    return two_fabrics_packets(fabric) - before;
}

void send_and_receive_back(char *data, int bytes, int peer, bool first) {
    if (first)
        CHECK_MPI(MPI_Send(data, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Recv(data, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (!first)
        CHECK_MPI(MPI_Send(data, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD));
}

void free_buffer(void *buffer, MPI_Count, void *) {
    std::free(buffer);
}

/// What ranks 0 and 1 do while all others wait.
void exchange(int rank) {
    const int peer = 1 - rank;
    std::vector<char> data(1 << 20, 'a');
    const auto back_and_forth = [&](int bytes) {
        for (int i = 0; i < rounds; ++i)
            send_and_receive_back(data.data(), bytes, peer, rank == 0);
    };
    // Rank 0 begins and ends each exchange, so only it can count.
    const long small = packets_of([&] { back_and_forth(8); });
    const long read_before = two_fabrics_bytes_read(fabric_within_half);
    const long large = packets_of([&] { back_and_forth(1 << 20); });
    const long read = two_fabrics_bytes_read(fabric_within_half) - read_before;
    constexpr long most_in_packet = 500;
    if (rank == 0) {
        CHECK(small >= 2L * rounds); // and what is left of the barrier before
        CHECK(read + large * most_in_packet >= 2L * rounds << 20);
    }

    // Memory does not change owners, but is copied.
    std::uintptr_t theirs = 0;
    if (rank == 0) {
        void *const given = std::malloc(64);
        theirs = reinterpret_cast<std::uintptr_t>(given);
        CHECK_MPI(MPI_Send(&theirs, sizeof theirs, MPI_BYTE, peer, 2, MPI_COMM_WORLD));
        CHECK_MPI(MPIX_Send_owned(given, 64, free_buffer, nullptr, peer, 3, MPI_COMM_WORLD));
    } else {
        CHECK_MPI(MPI_Recv(&theirs, sizeof theirs, MPI_BYTE, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        void *taken = nullptr, *state = nullptr;
        MPI_Count bytes = 0;
        MPIX_Free_function *release = nullptr;
        CHECK_MPI(
            MPIX_Recv_owned(&taken, &bytes, &release, &state, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(bytes, 64);
        CHECK(release != free_buffer); // a copy in the library's memory
        release(taken, bytes, state);
    }
}

/// Each of two ranks must send the other something in each of these; nothing else could tell it.
void reduce(const MPI_Comm &half, int rank_in_half) {
    const long packets = packets_of([&] {
        for (int i = 0; i < rounds; ++i) {
            int sum = 0;
            CHECK_MPI(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, half));
            CHECK_EQ(sum, 2 * i);
            CHECK_MPI(MPI_Barrier(half));
        }
    });
    // The peer may have sent its first message before and not yet its last one.
    CHECK(packets >= 2L * 2 * rounds - 2 * rank_in_half - 2);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    if (two_fabrics_packets == nullptr) {
        std::fprintf(stderr, "run this with the library of two_fabrics.cpp (LD_LIBRARY_PATH)\n");
        return 1;
    }
    CHECK_EQ(job.size, 4);
    const int in_half = job.rank % 2;
    MPI_Comm half = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, job.rank / 2, 0, &half));
    int shared = -1;
    CHECK_MPI(MPIX_Comm_shares_memory(half, 1 - in_half, &shared));
    CHECK_EQ(shared, 0);

    // Ranks 2 and 3 wait for a message from the other half; rank 0 knows that they do nothing else.
    int word = 0;
    if (job.rank >= 2) {
        CHECK_MPI(MPI_Send(&word, 1, MPI_INT, 0, 9, MPI_COMM_WORLD));
        CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, in_half, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else {
        for (int other = 2; job.rank == 0 && other < 4; ++other)
            CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_Barrier(half));
        const long between = packets_of([&] { exchange(job.rank); }, fabric_between_halves);
        CHECK_EQ(between, 0L);
        reduce(half, in_half);
        CHECK_MPI(MPI_Barrier(half));
        CHECK_MPI(MPI_Send(&word, 1, MPI_INT, 2 + in_half, 9, MPI_COMM_WORLD));
    }
    CHECK_MPI(MPI_Comm_free(&half));
    return 0;
}
