// SPDX-License-Identifier: Apache-2.0
// Receives from any source whose messages come from the node's memory and from the network at once: each
// message is matched exactly once, those of one sender in their order, and nobody is forgotten. The argument
// is the number of messages of each sender.
#include "check.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace {

constexpr int window = 64;

struct numbered {
    int sender, number;
};

void send_all(int rank, int count) {
    std::vector<numbered> messages(window);
    std::vector<MPI_Request> requests;
    for (int next = 0; next < count;) {
        requests.clear();
        for (auto &message : messages) {
            if (next == count)
                break;
            message = {rank, next};
            // Two tags, and now and then a message that is announced first.
            const bool announced = next % 97 == 0;
            requests.emplace_back();
            CHECK_MPI((announced ? MPI_Issend : MPI_Isend)(&message, 2, MPI_INT, 0, next % 2, MPI_COMM_WORLD,
                                                           &requests.back()));
            ++next;
        }
        CHECK_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    }
}

void receive_all(int size, int count) {
    const auto total = static_cast<long>(size - 1) * count;
    std::vector<int> next(static_cast<std::size_t>(size), 0);
    std::vector<numbered> got(window);
    std::vector<MPI_Request> requests(window);
    for (long received = 0; received < total;) {
        const auto now = static_cast<int>(std::min<long>(window, total - received));
        for (int i = 0; i < now; ++i) {
            const auto at = static_cast<std::size_t>(i);
            CHECK_MPI(
                MPI_Irecv(&got[at], 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[at]));
        }
        std::vector<MPI_Status> statuses(window);
        CHECK_MPI(MPI_Waitall(now, requests.data(), statuses.data()));
        // Receives match in the order in which they were posted, so each sender's messages stand in order
        // here.
        for (int i = 0; i < now; ++i) {
            const auto at = static_cast<std::size_t>(i);
            CHECK_EQ(got[at].sender, statuses[at].MPI_SOURCE);
            CHECK_EQ(got[at].number, next[static_cast<std::size_t>(got[at].sender)]++);
            CHECK_EQ(statuses[at].MPI_TAG, got[at].number % 2);
        }
        received += now;
    }
    for (int sender = 1; sender < size; ++sender)
        CHECK_EQ(next[static_cast<std::size_t>(sender)], count);
}

} // namespace

int main(int argc, char **argv) {
    CHECK_MPI(MPI_Init(&argc, &argv));
    int rank = 0, size = 0;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
    const int count = argc > 1 ? std::atoi(argv[1]) : 2000;
    if (rank == 0)
        receive_all(size, count);
    else
        send_all(rank, count);
    int flag = 1;
    CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
    CHECK_MPI(MPI_Finalize());
    return 0;
}
