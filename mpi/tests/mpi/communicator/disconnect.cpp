// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_disconnect returns when nothing of the communicator is under way: neither operations whose
// requests were freed nor messages in buffers. The receiver takes its time, so that a call that does not wait
// is noticed.
#include "check.hpp"

#include <chrono>
#include <thread>
#include <vector>

namespace {

constexpr int ints = 300000; // more than is ever sent before the receiver is known

void freed_request(const check::job &job) {
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    std::vector<int> data(ints, 7);
    if (job.rank == 0) {
        for (int dest = 1; dest < job.size; ++dest) {
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Isend(data.data(), ints, MPI_INT, dest, 0, comm, &request));
            CHECK_MPI(MPI_Request_free(&request));
        }
    } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        std::vector<int> in(ints, 0);
        CHECK_MPI(MPI_Recv(in.data(), ints, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE));
        for (const int value : in)
            CHECK_EQ(value, 7);
    }
    CHECK_MPI(MPI_Comm_disconnect(&comm));
    CHECK(comm == MPI_COMM_NULL);
    data.assign(data.size(), -1); // nobody reads it any more
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// A receive whose request was freed is complete, too.
void freed_receive(const check::job &job) {
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    const int next = (job.rank + 1) % job.size;
    const int previous = (job.rank + job.size - 1) % job.size;
    int in = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Irecv(&in, 1, MPI_INT, previous, 0, comm, &request));
    CHECK_MPI(MPI_Request_free(&request));
    std::this_thread::sleep_for(std::chrono::milliseconds(job.rank == 0 ? 50 : 0));
    CHECK_MPI(MPI_Send(&job.rank, 1, MPI_INT, next, 0, comm));
    CHECK_MPI(MPI_Comm_disconnect(&comm));
    CHECK_EQ(in, previous);
}

/// Messages in the rank's buffer: those of the communicator have left, another one's may stay.
void buffered(const check::job &job) {
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    constexpr int bytes = 2 * (ints * static_cast<int>(sizeof(int)) + MPI_BSEND_OVERHEAD);
    std::vector<char> memory(bytes);
    std::vector<int> data(ints, 9);
    CHECK_MPI(MPI_Buffer_attach(memory.data(), bytes));
    if (job.rank == 0) {
        CHECK_MPI(MPI_Bsend(data.data(), ints, MPI_INT, 1, 1, MPI_COMM_WORLD)); // received at the end
        CHECK_MPI(MPI_Bsend(data.data(), ints, MPI_INT, 1, 0, comm));
    } else if (job.rank == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        CHECK_MPI(MPI_Recv(data.data(), ints, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE));
        CHECK_EQ(data.back(), 9);
    }
    CHECK_MPI(MPI_Comm_disconnect(&comm));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (job.rank == 1)
        CHECK_MPI(MPI_Recv(data.data(), ints, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    void *detached = nullptr;
    int size = 0;
    CHECK_MPI(MPI_Buffer_detach(&detached, &size));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    freed_request(job);
    freed_receive(job);
    if (job.size > 1)
        buffered(job);
    return 0;
}
