// SPDX-License-Identifier: Apache-2.0
// Each pair of ranks sends to each other at once, first by blocking sends of what is short enough for any
// fabric to keep, then long messages, then all ranks at random. Use: both_ways [bytes of a long message]
#include "check.hpp"

#include <random>
#include <vector>

namespace {

std::vector<unsigned char> made_by(int rank, std::size_t bytes) {
    std::vector<unsigned char> data(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        data[i] = static_cast<unsigned char>(i * 7 + static_cast<std::size_t>(rank));
    return data;
}

void pair_sends_short(int rank, int other) {
    constexpr int bytes = 400;
    const std::vector<unsigned char> out = made_by(rank, bytes);
    std::vector<unsigned char> in(bytes);
    CHECK_MPI(MPI_Send(out.data(), bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Recv(in.data(), bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(in == made_by(other, bytes));
}

void pair_sends_long(int rank, int other, int bytes) {
    const std::vector<unsigned char> out = made_by(rank, static_cast<std::size_t>(bytes));
    std::vector<unsigned char> in(static_cast<std::size_t>(bytes));
    CHECK_MPI(MPI_Sendrecv(out.data(), bytes, MPI_BYTE, other, 2, in.data(), bytes, MPI_BYTE, other, 2,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(in == made_by(other, static_cast<std::size_t>(bytes)));
}

/// All know how much goes from whom to whom; everything is under way at once.
void all_at_random(const check::job &job, std::uint32_t seed) {
    constexpr int messages = 2;
    std::mt19937 random{seed};
    std::vector<MPI_Request> requests;
    std::vector<std::vector<unsigned char>> buffers;
    std::vector<std::pair<std::size_t, int>> expected; ///< buffer, and who has made what is to come
    buffers.reserve(static_cast<std::size_t>(2 * messages * job.size * job.size));
    for (int from = 0; from < job.size; ++from)
        for (int to = 0; to < job.size; ++to)
            for (int i = 0; i < messages; ++i) {
                const int bytes = static_cast<int>(random() % 5000);
                if (from == job.rank) {
                    buffers.push_back(made_by(from, static_cast<std::size_t>(bytes)));
                    CHECK_MPI(MPI_Isend(buffers.back().data(), bytes, MPI_BYTE, to, 3, MPI_COMM_WORLD,
                                        &requests.emplace_back()));
                }
                if (to == job.rank) {
                    expected.emplace_back(buffers.size(), from);
                    buffers.emplace_back(static_cast<std::size_t>(bytes));
                    CHECK_MPI(MPI_Irecv(buffers.back().data(), bytes, MPI_BYTE, from, 3, MPI_COMM_WORLD,
                                        &requests.emplace_back()));
                }
            }
    CHECK_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    for (const auto &[buffer, from] : expected)
        CHECK(buffers[buffer] == made_by(from, buffers[buffer].size()));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const int bytes = argc > 1 ? std::atoi(argv[1]) : 5000;
    for (int one = 0; one < job.size; ++one)
        for (int other = one + 1; other < job.size; ++other)
            if (job.rank == one || job.rank == other) {
                const int peer = one + other - job.rank;
                pair_sends_short(job.rank, peer);
                pair_sends_long(job.rank, peer, bytes);
            }
    const std::uint32_t rounds = argc > 1 ? 10 : 1;
    for (std::uint32_t seed = 1; seed <= rounds; ++seed)
        all_at_random(job, seed);
}
