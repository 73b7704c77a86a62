// SPDX-License-Identifier: Apache-2.0
// Runs of short messages to one rank, sometimes from one sender alone and sometimes from all, with pauses in
// which the receiver goes to sleep: mailboxes whose claims are leased to a sender, recalled and leased again,
// within a process and between processes. Each sender's messages must come complete and in order.
#include "check.hpp"

#include <chrono>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr int rounds = 40;
constexpr int longest_run = 600;

struct numbered {
    int round, number, last;
};

/// What all ranks know: who sends in a round, and how many.
int run_length(std::mt19937 &random, int receiver, int rank, int alone) {
    const int count = static_cast<int>(random() % longest_run) + 1;
    const bool quiet = rank == receiver || (alone != receiver && rank != alone);
    return quiet ? 0 : count;
}

void send_run(int round, int count, int receiver, bool windows, std::mt19937 &own) {
    std::vector<numbered> messages;
    for (int i = 0; i < count; ++i)
        messages.push_back({round, i, count});
    std::vector<MPI_Request> requests;
    for (auto &message : messages) {
        if (windows) {
            requests.emplace_back();
            CHECK_MPI(MPI_Isend(&message, 3, MPI_INT, receiver, round, MPI_COMM_WORLD, &requests.back()));
        } else {
            CHECK_MPI(MPI_Send(&message, 3, MPI_INT, receiver, round, MPI_COMM_WORLD));
        }
        if (own() % 128 == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(own() % 300));
    }
    CHECK_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
}

void receive_runs(int round, const std::vector<int> &counts) {
    std::vector<int> next(counts.size(), 0);
    int left = 0;
    for (const int count : counts)
        left += count;
    for (; left > 0; --left) {
        numbered got{};
        MPI_Status status;
        CHECK_MPI(MPI_Recv(&got, 3, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status));
        const auto source = static_cast<std::size_t>(status.MPI_SOURCE);
        CHECK_EQ(got.round, round);
        CHECK_EQ(got.number, next[source]++);
        CHECK_EQ(got.last, counts[source]);
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const int rank = job.rank, size = job.size;
    std::mt19937 common{7}, own{static_cast<unsigned>(rank)};
    for (int round = 0; round < rounds; ++round) {
        const int receiver = round % 5 == 4 ? static_cast<int>(common() % static_cast<unsigned>(size)) : 0;
        const int alone =
            round % 4 == 3 ? receiver : static_cast<int>(common() % static_cast<unsigned>(size));
        std::vector<int> counts;
        for (int each = 0; each < size; ++each)
            counts.push_back(run_length(common, receiver, each, alone));
        if (rank == receiver)
            receive_runs(round, counts);
        else
            send_run(round, counts[static_cast<std::size_t>(rank)], receiver, round % 2 == 0, own);
        if (round % 8 == 7)
            CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    }
}
