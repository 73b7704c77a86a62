// SPDX-License-Identifier: Apache-2.0
// Probing: blocking and not, with and without wildcards, and the matched forms, which take the message out
// of reach of every other receive. Rank 0 is the receiver, all others send to it.
#include "payload.hpp"

#include <string>
#include <vector>

namespace {

constexpr int messages = 40;

std::size_t length_of(int sender, int number) {
    return static_cast<std::size_t>((number * 7919 + sender * 104729) % (number % 5 == 4 ? 200000 : 3000));
}
std::uint64_t seed_of(int sender, int number) {
    return static_cast<std::uint64_t>(sender * 100000 + number);
}

void send_all(int rank) {
    for (int i = 0; i < messages; ++i) {
        guarded_buffer out(length_of(rank, i));
        out.fill(seed_of(rank, i));
        CHECK_MPI(
            MPI_Send(out.data(), static_cast<int>(length_of(rank, i)), MPI_BYTE, 0, i % 3, MPI_COMM_WORLD));
    }
}

int bytes_of(const MPI_Status &status) {
    int bytes = -1;
    CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
    return bytes;
}

/// What rank 0 still expects of one sender: for each tag the number of the next message.
struct expectation {
    int next[3] = {0, 1, 2};
    /// Notes that the message came; its number.
    int take(int tag) {
        const int number = next[tag];
        next[tag] += 3;
        return number;
    }
};

enum class how { probe, iprobe, mprobe, improbe };

void receive_all(const check::job &job, how way) {
    std::vector<expectation> expected(static_cast<std::size_t>(job.size));
    for (int i = 0; i < messages * (job.size - 1); ++i) {
        MPI_Status status;
        MPI_Message message = MPI_MESSAGE_NULL;
        int flag = 0;
        switch (way) {
        case how::probe:
            CHECK_MPI(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            break;
        case how::iprobe:
            while (flag == 0)
                CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
            break;
        case how::mprobe:
            CHECK_MPI(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
            CHECK(message != MPI_MESSAGE_NULL);
            break;
        case how::improbe:
            while (flag == 0)
                CHECK_MPI(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status));
            CHECK(message != MPI_MESSAGE_NULL);
            break;
        }
        const int source = status.MPI_SOURCE;
        const int tag = status.MPI_TAG;
        CHECK(source > 0 && source < job.size && tag >= 0 && tag < 3);
        const int number = expected[static_cast<std::size_t>(source)].take(tag);
        const std::size_t bytes = length_of(source, number);
        CHECK_EQ(bytes_of(status), static_cast<int>(bytes));
        guarded_buffer in(bytes);
        if (way == how::mprobe) {
            CHECK_MPI(MPI_Mrecv(in.data(), static_cast<int>(bytes), MPI_BYTE, &message, &status));
            CHECK(message == MPI_MESSAGE_NULL);
        } else if (way == how::improbe) {
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Imrecv(in.data(), static_cast<int>(bytes), MPI_BYTE, &message, &request));
            CHECK(message == MPI_MESSAGE_NULL);
            CHECK_MPI(MPI_Wait(&request, &status));
        } else {
            CHECK_MPI(
                MPI_Recv(in.data(), static_cast<int>(bytes), MPI_BYTE, source, tag, MPI_COMM_WORLD, &status));
        }
        CHECK_EQ(status.MPI_SOURCE, source);
        CHECK_EQ(status.MPI_TAG, tag);
        CHECK_EQ(bytes_of(status), static_cast<int>(bytes));
        in.expect(seed_of(source, number),
                  "message " + std::to_string(number) + " of " + std::to_string(source));
    }
}

/// A matched message cannot be received or probed by anybody else, and the next of the same tag can.
void matched_is_taken(const check::job &job) {
    if (job.rank == 1) {
        // Not blocking: the first may be received last.
        const int values[3] = {10, 20, 30};
        MPI_Request requests[3];
        for (int i = 0; i < 3; ++i)
            CHECK_MPI(MPI_Isend(&values[i], 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[i]));
        CHECK_MPI(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    }
    if (job.rank != 0)
        return;
    MPI_Message first = MPI_MESSAGE_NULL;
    MPI_Message second = MPI_MESSAGE_NULL;
    CHECK_MPI(MPI_Mprobe(1, 5, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &second, MPI_STATUS_IGNORE));
    int value = 0;
    CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(value, 30);
    CHECK_MPI(MPI_Mrecv(&value, 1, MPI_INT, &second, MPI_STATUS_IGNORE));
    CHECK_EQ(value, 20);
    CHECK_MPI(MPI_Mrecv(&value, 1, MPI_INT, &first, MPI_STATUS_IGNORE));
    CHECK_EQ(value, 10);
    int flag = 1;
    CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
}

/// MPI_PROC_NULL gives the message that has no process: receiving it yields an empty status.
void no_process() {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int flag = 0;
    CHECK_MPI(MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK_EQ(flag, 1);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    CHECK_MPI(MPI_Mrecv(nullptr, 0, MPI_INT, &message, &status));
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
    CHECK_MPI(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status));
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Imrecv(nullptr, 0, MPI_INT, &message, &request));
    CHECK_MPI(MPI_Wait(&request, &status));
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_MPI(MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &status));
    CHECK_EQ(flag, 1);
}

/// One's own messages can be probed too.
void self() {
    int value = 42;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Isend(&value, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &request));
    MPI_Status status;
    CHECK_MPI(MPI_Probe(0, 9, MPI_COMM_SELF, &status));
    CHECK_EQ(bytes_of(status), static_cast<int>(sizeof value));
    int in = 0;
    CHECK_MPI(MPI_Recv(&in, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK_EQ(in, 42);
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    for (const how way : {how::probe, how::iprobe, how::mprobe, how::improbe}) {
        if (job.rank == 0)
            receive_all(job, way);
        else
            send_all(job.rank);
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    }
    if (job.size > 1)
        matched_is_taken(job);
    no_process();
    self();
}
