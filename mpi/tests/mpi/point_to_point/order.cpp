// SPDX-License-Identifier: Apache-2.0
// Which message goes to which receive: arrival order for unexpected messages, posting order for receives,
// with and without wildcards, small and large messages mixed, and communicators kept apart.
#include "payload.hpp"

#include <array>
#include <vector>

namespace {

/// A message to oneself whose first int tells it apart; long enough to need a rendezvous if `large`.
class own_messages {
  public:
    void send(int tag, int value, bool large = false) {
        buffers_.emplace_back(large ? 100000u : 1u, value);
        requests_.push_back(MPI_REQUEST_NULL);
        CHECK_MPI(MPI_Isend(buffers_.back().data(), static_cast<int>(buffers_.back().size()), MPI_INT, 0, tag,
                            MPI_COMM_SELF, &requests_.back()));
    }
    void finish() {
        CHECK_MPI(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
        requests_.clear();
        buffers_.clear();
    }

  private:
    std::vector<std::vector<int>> buffers_;
    std::vector<MPI_Request> requests_;
};

int receive(int source, int tag) {
    std::vector<int> in(100000);
    CHECK_MPI(MPI_Recv(in.data(), 100000, MPI_INT, source, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    return in[0];
}

void unexpected() {
    own_messages out;
    for (int i = 0; i < 12; ++i)
        out.send(i % 3, i, i % 4 == 1);
    CHECK_EQ(receive(0, 2), 2);
    CHECK_EQ(receive(MPI_ANY_SOURCE, 2), 5);
    CHECK_EQ(receive(0, MPI_ANY_TAG), 0);
    CHECK_EQ(receive(MPI_ANY_SOURCE, MPI_ANY_TAG), 1);
    CHECK_EQ(receive(0, 0), 3);
    CHECK_EQ(receive(MPI_ANY_SOURCE, 1), 4);
    CHECK_EQ(receive(0, MPI_ANY_TAG), 6);
    for (int i = 7; i < 12; ++i)
        CHECK_EQ(receive(MPI_ANY_SOURCE, MPI_ANY_TAG), i);
    out.finish();
}

void posted() {
    struct selector {
        int source;
        int tag;
    };
    constexpr std::array<selector, 8> selectors{{{0, 1},
                                                 {MPI_ANY_SOURCE, MPI_ANY_TAG},
                                                 {0, MPI_ANY_TAG},
                                                 {MPI_ANY_SOURCE, 2},
                                                 {0, 2},
                                                 {0, 1},
                                                 {MPI_ANY_SOURCE, 1},
                                                 {0, MPI_ANY_TAG}}};
    // By hand: tag 2 goes to the first receive that takes it (1), then 2, 3, 4; and so on.
    struct message {
        int tag;
        std::size_t goes_to;
    };
    constexpr std::array<message, 8> messages{
        {{2, 1}, {2, 2}, {1, 0}, {2, 3}, {1, 5}, {2, 4}, {1, 6}, {9, 7}}};
    std::array<std::vector<int>, 8> in;
    std::array<MPI_Request, 8> requests{};
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i].resize(100000, -1);
        CHECK_MPI(MPI_Irecv(in[i].data(), 100000, MPI_INT, selectors[i].source, selectors[i].tag,
                            MPI_COMM_SELF, &requests[i]));
    }
    own_messages out;
    for (std::size_t i = 0; i < messages.size(); ++i)
        out.send(messages[i].tag, static_cast<int>(i), i % 3 == 0);
    CHECK_MPI(MPI_Waitall(8, requests.data(), MPI_STATUSES_IGNORE));
    for (std::size_t i = 0; i < messages.size(); ++i)
        CHECK_EQ(in[messages[i].goes_to][0], static_cast<int>(i));
    out.finish();
}

/// The same tags in three communicators never meet.
void communicators() {
    std::array<MPI_Comm, 3> comms{MPI_COMM_SELF, MPI_COMM_NULL, MPI_COMM_NULL};
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_SELF, &comms[1]));
    CHECK_MPI(MPI_Comm_dup(comms[1], &comms[2]));
    std::array<MPI_Request, 3> requests{};
    std::array<int, 3> out{10, 11, 12};
    for (std::size_t i = 0; i < comms.size(); ++i)
        CHECK_MPI(MPI_Isend(&out[i], 1, MPI_INT, 0, 0, comms[i], &requests[i]));
    for (const std::size_t i : {2u, 0u, 1u}) {
        int in = 0;
        CHECK_MPI(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], MPI_STATUS_IGNORE));
        CHECK_EQ(in, out[i]);
    }
    CHECK_MPI(MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE));
    CHECK_MPI(MPI_Comm_free(&comms[1]));
    CHECK_MPI(MPI_Comm_free(&comms[2]));
}

/// Thousands of receives posted in the reverse order of arrival, then thousands of unexpected messages
/// received in reverse.
void reverse(const check::job &job) {
    constexpr int count = 3000;
    const int right = (job.rank + 1) % job.size;
    const int left = (job.rank + job.size - 1) % job.size;
    std::vector<int> in(count, -1);
    std::vector<int> out(count);
    std::vector<MPI_Request> requests(2 * count, MPI_REQUEST_NULL);
    for (int i = 0; i < count; ++i)
        CHECK_MPI(MPI_Irecv(&in[static_cast<std::size_t>(i)], 1, MPI_INT, left, count - i, MPI_COMM_WORLD,
                            &requests[static_cast<std::size_t>(i)]));
    for (int i = 0; i < count; ++i) {
        out[static_cast<std::size_t>(i)] = i + 1;
        CHECK_MPI(MPI_Isend(&out[static_cast<std::size_t>(i)], 1, MPI_INT, right, i + 1, MPI_COMM_WORLD,
                            &requests[static_cast<std::size_t>(count + i)]));
    }
    CHECK_MPI(MPI_Waitall(2 * count, requests.data(), MPI_STATUSES_IGNORE));
    for (int i = 0; i < count; ++i)
        CHECK_EQ(in[static_cast<std::size_t>(i)], count - i);
    for (int i = 0; i < count; ++i)
        CHECK_MPI(MPI_Isend(&out[static_cast<std::size_t>(i)], 1, MPI_INT, right, i, MPI_COMM_WORLD,
                            &requests[static_cast<std::size_t>(i)]));
    for (int i = count - 1; i >= 0; --i) {
        int value = 0;
        CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(value, i + 1);
    }
    CHECK_MPI(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE));
}

/// Persistent requests, many at once and many times.
void startall(const check::job &job) {
    constexpr std::size_t count = 16;
    const int right = (job.rank + 1) % job.size;
    const int left = (job.rank + job.size - 1) % job.size;
    std::array<int, count> in{};
    std::array<int, count> out{};
    std::array<MPI_Request, 2 * count> requests{};
    for (std::size_t i = 0; i < count; ++i) {
        CHECK_MPI(
            MPI_Recv_init(&in[i], 1, MPI_INT, left, static_cast<int>(i % 2), MPI_COMM_WORLD, &requests[i]));
        CHECK_MPI(MPI_Send_init(&out[i], 1, MPI_INT, right, static_cast<int>(i % 2), MPI_COMM_WORLD,
                                &requests[count + i]));
    }
    for (int round = 0; round < 100; ++round) {
        for (std::size_t i = 0; i < count; ++i)
            out[i] = job.rank * 10000 + round * 20 + static_cast<int>(i);
        CHECK_MPI(MPI_Startall(static_cast<int>(requests.size()), requests.data()));
        CHECK_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
        for (std::size_t i = 0; i < count; ++i)
            CHECK_EQ(in[i], left * 10000 + round * 20 + static_cast<int>(i));
    }
    for (MPI_Request &request : requests)
        CHECK_MPI(MPI_Request_free(&request));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    unexpected();
    posted();
    communicators();
    reverse(job);
    startall(job);
}
