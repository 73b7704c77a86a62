// SPDX-License-Identifier: Apache-2.0
// No wake-up is lost: several threads of each receiver wait for messages with a tag of their own, in ways
// that change, while a sender sends them in random orders with random rests in between. A thread that is not
// woken never returns. The argument is the number of waits of all threads of a receiver.
#include "check.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr int threads = 4;
constexpr int rounds_ahead = 50; ///< of the sender, so that not too much is stored
constexpr int answer_tag = threads;

/// A receive that waits in one of the ways there are.
int receive(int sender, int tag, std::mt19937::result_type way) {
    int value = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message = MPI_MESSAGE_NULL;
    const int source = way % 2 == 0 ? sender : MPI_ANY_SOURCE;
    switch (way / 2 % 4) {
    case 0:
        CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        break;
    case 1:
        CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &request));
        CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
        break;
    case 2:
        CHECK_MPI(MPI_Mprobe(source, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
        break;
    default:
        CHECK_MPI(MPI_Probe(source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    return value;
}

void wait_for_all(int sender, int tag, int rounds) {
    std::mt19937 random{static_cast<unsigned>(tag)};
    for (int round = 0; round != rounds; ++round) {
        CHECK_EQ(receive(sender, tag, random()), round);
        if (tag == 0 && round % rounds_ahead == 0) {
            CHECK_MPI(MPI_Send(&round, 1, MPI_INT, sender, answer_tag, MPI_COMM_WORLD));
        }
    }
}

void rest(std::mt19937 &random) {
    const auto kind = random() % 16;
    if (kind == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds{random() % 300});
    } else if (kind < 4) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds{random() % 5000};
        while (std::chrono::steady_clock::now() < end) {
        }
    }
}

void send_all(int receiver, int rounds) {
    std::mt19937 random{17};
    std::vector<int> tags(threads);
    std::iota(tags.begin(), tags.end(), 0);
    for (int round = 0; round != rounds; ++round) {
        std::shuffle(tags.begin(), tags.end(), random);
        for (const int tag : tags) {
            rest(random);
            CHECK_MPI(MPI_Send(&round, 1, MPI_INT, receiver, tag, MPI_COMM_WORLD));
        }
        if (round % rounds_ahead == 0) {
            int answer = -1;
            CHECK_MPI(MPI_Recv(&answer, 1, MPI_INT, receiver, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_EQ(answer, round);
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    int level = 0, rank = 0, size = 0;
    CHECK_MPI(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
    CHECK_EQ(level, MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rounds = (argc > 1 ? std::atoi(argv[1]) : 8000) / threads;
    // The first half receives from the second.
    const int receivers = size / 2;
    if (rank < receivers) {
        std::vector<std::thread> all;
        for (int tag = 0; tag != threads; ++tag) {
            all.emplace_back([=] { wait_for_all(rank + receivers, tag, rounds); });
        }
        for (std::thread &each : all) {
            each.join();
        }
    } else if (rank < 2 * receivers) {
        send_all(rank - receivers, rounds);
    }
    MPI_Finalize();
}
