// SPDX-License-Identifier: Apache-2.0
// Cancelling: a receive that nothing has matched is cancelled, one that has been matched completes, and a
// send either is cancelled or arrives, never both. Freed and cancelled requests leave nothing behind.
#include "payload.hpp"

namespace {

int cancelled(const MPI_Status &status) {
    int flag = -1;
    CHECK_MPI(MPI_Test_cancelled(&status, &flag));
    return flag;
}

void unmatched_receive() {
    int value = 5;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    CHECK_MPI(MPI_Cancel(&request));
    CHECK_MPI(MPI_Wait(&request, &status));
    CHECK_EQ(cancelled(status), 1);
    CHECK_EQ(value, 5);
    // The next message goes to the next receive.
    const int out = 6;
    CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    CHECK_MPI(MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
    CHECK_MPI(MPI_Wait(&request, &status));
    CHECK_EQ(value, 6);
    CHECK_EQ(cancelled(status), 0);
}

void matched_receive() {
    int value = 0;
    const int out = 8;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    CHECK_MPI(MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
    int flag = 0;
    while (flag == 0)
        CHECK_MPI(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Cancel(&request));
    CHECK_MPI(MPI_Wait(&request, &status));
    CHECK_EQ(cancelled(status), 0);
    CHECK_EQ(value, 8);
}

void persistent_receive() {
    int value = 0;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Recv_init(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    for (int i = 0; i < 3; ++i) {
        CHECK_MPI(MPI_Start(&request));
        if (i == 1)
            CHECK_MPI(MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
        else
            CHECK_MPI(MPI_Cancel(&request));
        CHECK_MPI(MPI_Wait(&request, &status));
        CHECK_EQ(cancelled(status), i == 1 ? 0 : 1);
    }
    CHECK_EQ(value, 1);
    CHECK_MPI(MPI_Request_free(&request));
}

/// A posted receive with wildcards, cancelled and freed without being waited for.
void forgotten_receive() {
    int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &request));
    CHECK_MPI(MPI_Cancel(&request));
    CHECK_MPI(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
}

/// Rank 0 sends and cancels; it tells rank 1 which of the two happened. Waiting for a cancelled operation
/// returns whatever the receiver does, so a synchronous send, which nobody has matched, must be cancelled.
void send(const check::job &job, int bytes, bool synchronous) {
    if (job.rank == 0) {
        guarded_buffer out(static_cast<std::size_t>(bytes));
        out.fill(3);
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Status status;
        if (synchronous)
            CHECK_MPI(MPI_Issend(out.data(), bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request));
        else
            CHECK_MPI(MPI_Isend(out.data(), bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request));
        CHECK_MPI(MPI_Cancel(&request));
        CHECK_MPI(MPI_Wait(&request, &status));
        const int was_cancelled = cancelled(status);
        CHECK(!synchronous || was_cancelled == 1);
        CHECK_MPI(MPI_Send(&was_cancelled, 1, MPI_INT, 1, 3, MPI_COMM_WORLD));
    } else if (job.rank == 1) {
        int was_cancelled = 0;
        CHECK_MPI(MPI_Recv(&was_cancelled, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        int flag = 0;
        if (was_cancelled != 0) {
            CHECK_MPI(MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
            CHECK_EQ(flag, 0);
        } else {
            guarded_buffer in(static_cast<std::size_t>(bytes));
            CHECK_MPI(MPI_Recv(in.data(), bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            in.expect(3, "message that was not cancelled");
        }
    }
    // The next message must not be taken for this one.
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    unmatched_receive();
    matched_receive();
    persistent_receive();
    forgotten_receive();
    if (job.size > 1)
        for (const int bytes : {0, 100, 10000, 1000000})
            for (const bool synchronous : {true, false})
                send(job, bytes, synchronous);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}
