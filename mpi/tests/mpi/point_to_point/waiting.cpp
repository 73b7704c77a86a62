// SPDX-License-Identifier: Apache-2.0
// Blocking receives that already wait when their message is sent: which message they take, what its status
// says, and that nothing overtakes. Rank 0 waits, the others send.
#include "payload.hpp"

#include <array>
#include <vector>

namespace {

constexpr int long_ints = 50; // more than fits a mailbox's cell

void send(int value, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
    CHECK_MPI(MPI_Send(&value, 1, MPI_INT, 0, tag, comm));
}

/// Receives up to `room` ints; the first one.
int receive(int source, int tag, MPI_Status &status, int room = 1, MPI_Comm comm = MPI_COMM_WORLD) {
    std::vector<int> in(static_cast<std::size_t>(room), -1);
    CHECK_MPI(MPI_Recv(in.data(), room, MPI_INT, source, tag, comm, &status));
    return in[0];
}

void check_status(const MPI_Status &status, int source, int tag, int ints) {
    int count = -1;
    CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(status.MPI_SOURCE, source);
    CHECK_EQ(status.MPI_TAG, tag);
    CHECK_EQ(count, ints);
}

void to_and_fro(const check::job &job) {
    for (int round = 0; round < 500; ++round) {
        for (int other = 1; other < job.size; ++other) {
            if (job.rank == other) {
                send(round, round % 7);
                MPI_Status status{};
                int in = 0;
                CHECK_MPI(MPI_Recv(&in, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
                CHECK_EQ(in, round + 1);
                check_status(status, 0, 3, 1);
            } else if (job.rank == 0) {
                MPI_Status status{};
                CHECK_EQ(receive(other, round % 7, status), round);
                check_status(status, other, round % 7, 1);
                const int answer = round + 1;
                CHECK_MPI(MPI_Send(&answer, 1, MPI_INT, other, 3, MPI_COMM_WORLD));
            }
        }
    }
}

/// While rank 0 waits for tag 5: another tag, then a long message with tag 5, then a short one.
void nothing_overtakes(const check::job &job) {
    MPI_Status status{};
    for (int round = 0; round < 50; ++round) {
        if (job.rank == 1) {
            send(1, 4);
            const std::vector<int> data(long_ints, 2);
            CHECK_MPI(MPI_Send(data.data(), long_ints, MPI_INT, 0, 5, MPI_COMM_WORLD));
            send(3, 5);
        } else if (job.rank == 0) {
            CHECK_EQ(receive(1, 5, status, long_ints), 2);
            check_status(status, 1, 5, long_ints);
            CHECK_EQ(receive(1, 5, status, long_ints), 3);
            CHECK_EQ(receive(MPI_ANY_SOURCE, MPI_ANY_TAG, status), 1);
            check_status(status, 1, 4, 1);
        }
    }
}

/// One with the right tag in another communicator comes first, and an empty one.
void only_what_matches(const check::job &job) {
    MPI_Comm other = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    MPI_Status status{};
    if (job.rank == 1) {
        send(1, 6, other);
        send(2, 6);
        CHECK_MPI(MPI_Send(nullptr, 0, MPI_INT, 0, 7, MPI_COMM_WORLD));
    } else if (job.rank == 0) {
        CHECK_EQ(receive(1, 6, status), 2);
        CHECK_EQ(receive(MPI_ANY_SOURCE, MPI_ANY_TAG, status), -1);
        check_status(status, 1, 7, 0);
        CHECK_EQ(receive(MPI_ANY_SOURCE, MPI_ANY_TAG, status, 1, other), 1);
        check_status(status, 1, 6, 1);
    }
    CHECK_MPI(MPI_Comm_free(&other));
}

/// A message that is too long for the receive which waits for it, by a few bytes.
void too_long(const check::job &job) {
    if (job.rank == 1) {
        const std::array<int, 3> data{1, 2, 3};
        CHECK_MPI(MPI_Send(data.data(), 3, MPI_INT, 0, 8, MPI_COMM_WORLD));
        send(4, 8);
    } else if (job.rank == 0) {
        CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        std::array<int, 3> in{-1, -1, -1};
        CHECK_ERROR(MPI_ERR_TRUNCATE,
                    MPI_Recv(in.data(), 2, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(in[1], 2);
        CHECK_EQ(in[2], -1);
        MPI_Status status{};
        CHECK_EQ(receive(1, 8, status), 4);
        CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    }
}

/// All send at once, blocking and not: each one's messages come in its order.
void from_all(const check::job &job) {
    constexpr int each = 300;
    if (job.rank != 0) {
        std::array<int, each> values{};
        std::vector<MPI_Request> requests;
        for (int i = 0; i < each; ++i) {
            values[static_cast<std::size_t>(i)] = i;
            if (i % 3 == 0) {
                send(i, i % 5);
            } else {
                MPI_Isend(&values[static_cast<std::size_t>(i)], 1, MPI_INT, 0, i % 5, MPI_COMM_WORLD,
                          &requests.emplace_back());
            }
        }
        CHECK_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
        return;
    }
    std::vector<int> next(static_cast<std::size_t>(job.size), 0);
    for (int i = 0; i < each * (job.size - 1); ++i) {
        MPI_Status status{};
        const int got = receive(MPI_ANY_SOURCE, MPI_ANY_TAG, status);
        int &expected = next[static_cast<std::size_t>(status.MPI_SOURCE)];
        CHECK_EQ(got, expected);
        check_status(status, status.MPI_SOURCE, expected % 5, 1);
        ++expected;
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    to_and_fro(job);
    nothing_overtakes(job);
    only_what_matches(job);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    too_long(job);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    from_all(job);
}
