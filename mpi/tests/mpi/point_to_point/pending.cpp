// SPDX-License-Identifier: Apache-2.0
// Very many sends that nobody receives yet: what each costs must not grow with their number, nor may the
// receiver ask for each of them. A library that looks through all of them at each call takes hours here.
//
// Use: pending [sends]
#include "check.hpp"

#include <algorithm>
#include <numeric>
#include <unistd.h>
#include <vector>

namespace {

constexpr int tag = 5;
constexpr int tag_of_start = 6;

void send_all(const std::vector<int> &words, int to) {
    std::vector<MPI_Request> requests(words.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < words.size(); ++i)
        CHECK_MPI(MPI_Isend(&words[i], 1, MPI_INT, to, tag, MPI_COMM_WORLD, &requests[i]));
    CHECK_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
}

void receive_all(int count, int from) {
    for (int i = 0; i < count; ++i) {
        int word = -1;
        CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(word, i);
    }
}

/// Sends of several lengths that are pending together arrive with what they carry, and may be cancelled.
void several_lengths(const check::job &job) {
    constexpr int rounds = 3000;
    constexpr int lengths[] = {0, 1, 24, 32, 33, 1000};
    constexpr int kinds = sizeof lengths / sizeof *lengths;
    std::vector<int> data(1000);
    std::iota(data.begin(), data.end(), 0);
    if (job.rank == 0) {
        std::vector<MPI_Request> requests(rounds, MPI_REQUEST_NULL);
        for (int i = 0; i < rounds; ++i) {
            auto *const start = i % 2 == 0 ? &MPI_Isend : &MPI_Issend;
            CHECK_MPI(start(data.data(), lengths[i % kinds], MPI_INT, 1, tag, MPI_COMM_WORLD,
                            &requests[static_cast<std::size_t>(i)]));
        }
        // The last ones are withdrawn, if the receiver has not seen them yet: it takes none of them.
        int withdrawn = 0;
        for (int i = 0; i < kinds; ++i) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Status status;
            CHECK_MPI(MPI_Issend(data.data(), lengths[i], MPI_INT, 1, tag + 10, MPI_COMM_WORLD, &request));
            CHECK_MPI(MPI_Cancel(&request));
            CHECK_MPI(MPI_Wait(&request, &status));
            int cancelled = 0;
            CHECK_MPI(MPI_Test_cancelled(&status, &cancelled));
            withdrawn += cancelled;
        }
        CHECK_EQ(withdrawn, kinds);
        CHECK_MPI(MPI_Send(nullptr, 0, MPI_INT, 1, tag_of_start, MPI_COMM_WORLD));
        CHECK_MPI(MPI_Waitall(rounds, requests.data(), MPI_STATUSES_IGNORE));
    } else if (job.rank == 1) {
        CHECK_MPI(MPI_Recv(nullptr, 0, MPI_INT, 0, tag_of_start, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < rounds; ++i) {
            std::vector<int> got(1001, -1);
            MPI_Status status;
            int count = -1;
            CHECK_MPI(MPI_Recv(got.data(), 1001, MPI_INT, 0, tag, MPI_COMM_WORLD, &status));
            CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
            CHECK_EQ(count, lengths[i % kinds]);
            const auto end = static_cast<std::ptrdiff_t>(count);
            CHECK(std::equal(got.begin(), got.begin() + end, data.begin()) &&
                  got[static_cast<std::size_t>(count)] == -1);
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    const int count = argc > 1 ? std::stoi(argv[1]) : 300'000;
    several_lengths(job);
    std::vector<int> words(static_cast<std::size_t>(count));
    std::iota(words.begin(), words.end(), 0);
    if (job.rank == 0)
        send_all(words, 1);
    else if (job.rank == 1) {
        usleep(300'000); // outside MPI, so that the sends find no room
        receive_all(count, 0);
    }
}
