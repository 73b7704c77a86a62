// SPDX-License-Identifier: Apache-2.0
// Buffered sends: the attached buffer limits what is on its way, is given back whole, and returns room when
// messages have left; with MPI-4.1 also a buffer for each communicator, automatic buffering, and flushing.
#include "payload.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace {

constexpr int message_bytes = 1000;

/// Sends `count` messages to oneself that nobody receives yet.
void send_some(MPI_Comm comm, int count, int bytes) {
    for (int i = 0; i < count; ++i) {
        guarded_buffer out(static_cast<std::size_t>(bytes));
        out.fill(static_cast<std::uint64_t>(i));
        CHECK_MPI(MPI_Bsend(out.data(), bytes, MPI_BYTE, 0, 2, comm));
        // The caller's buffer is free at once.
        out.fill(999);
    }
}
void receive_some(MPI_Comm comm, int count, int bytes) {
    for (int i = 0; i < count; ++i) {
        guarded_buffer in(static_cast<std::size_t>(bytes));
        CHECK_MPI(MPI_Recv(in.data(), bytes, MPI_BYTE, 0, 2, comm, MPI_STATUS_IGNORE));
        in.expect(static_cast<std::uint64_t>(i), "buffered message " + std::to_string(i));
    }
}

void attached() {
    constexpr int room = 10;
    std::vector<char> memory(static_cast<std::size_t>(room * (message_bytes + MPI_BSEND_OVERHEAD)));
    CHECK_MPI(MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size())));
    CHECK_ERROR(MPI_ERR_BUFFER, MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size())));
    for (int round = 0; round < 20; ++round) {
        send_some(MPI_COMM_SELF, room, message_bytes);
        receive_some(MPI_COMM_SELF, room, message_bytes);
    }
    // More than the whole buffer can never be sent.
    std::vector<char> too_much(memory.size() + 1);
    CHECK_ERROR(MPI_ERR_BUFFER,
                MPI_Bsend(too_much.data(), static_cast<int>(too_much.size()), MPI_BYTE, 0, 2, MPI_COMM_SELF));
    void *back = nullptr;
    int size = 0;
    CHECK_MPI(MPI_Buffer_detach(&back, &size));
    CHECK(back == memory.data());
    CHECK_EQ(size, static_cast<int>(memory.size()));
}

/// What is larger than the buffer is refused in each form of the call, however short it is; another thing
/// than no limit is a buffer at no address.
void too_small() {
    char memory[16];
    const char data[17] = {};
    char got[17];
    for (void *const base : {static_cast<void *>(memory), static_cast<void *>(nullptr)}) {
        const int room = base != nullptr ? static_cast<int>(sizeof memory) : 0;
        CHECK_MPI(MPI_Buffer_attach(base, room));
        MPI_Request request = MPI_REQUEST_NULL;
        CHECK_ERROR(MPI_ERR_BUFFER, MPI_Bsend(data, room + 1, MPI_BYTE, 0, 2, MPI_COMM_SELF));
        CHECK_ERROR(MPI_ERR_BUFFER, MPI_Ibsend(data, room + 1, MPI_BYTE, 0, 2, MPI_COMM_SELF, &request));
        CHECK_MPI(MPI_Bsend_init(data, room + 1, MPI_BYTE, 0, 2, MPI_COMM_SELF, &request));
        CHECK_ERROR(MPI_ERR_BUFFER, MPI_Start(&request));
        CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE)); // it has not been started
        CHECK_MPI(MPI_Request_free(&request));
        CHECK_MPI(MPI_Bsend(data, room, MPI_BYTE, 0, 2, MPI_COMM_SELF));
        CHECK_MPI(MPI_Recv(got, room, MPI_BYTE, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        int flag = 1;
        CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
        CHECK_EQ(flag, 0);
        void *back = &flag;
        int size = -1;
        CHECK_MPI(MPI_Buffer_detach(&back, &size));
        CHECK(back == base);
        CHECK_EQ(size, room);
    }
}

/// Without a buffer there is no room, but an empty destination needs none.
void none() {
    int value = 1;
    CHECK_ERROR(MPI_ERR_BUFFER, MPI_Bsend(&value, 1, MPI_INT, 0, 2, MPI_COMM_SELF));
    void *back = &value;
    int size = -1;
    CHECK_MPI(MPI_Buffer_detach(&back, &size)); // one of no bytes
    CHECK(back == nullptr);
    CHECK_EQ(size, 0);
}

/// Detaching waits until the messages have left the buffer, which may be destroyed then.
void detach_waits(const check::job &job) {
    constexpr int bytes = 300000;
    constexpr int count = 4;
    if (job.rank == 0) {
        std::vector<char> memory(static_cast<std::size_t>(count * (bytes + MPI_BSEND_OVERHEAD)));
        CHECK_MPI(MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size())));
        for (int i = 0; i < count; ++i) {
            guarded_buffer out(bytes);
            out.fill(static_cast<std::uint64_t>(i));
            CHECK_MPI(MPI_Bsend(out.data(), bytes, MPI_BYTE, 1, 4, MPI_COMM_WORLD));
        }
        void *back = nullptr;
        int size = 0;
        CHECK_MPI(MPI_Buffer_detach(&back, &size));
        std::fill(memory.begin(), memory.end(), '\x7f');
    } else if (job.rank == 1) {
        for (int i = 0; i < count; ++i) {
            guarded_buffer in(bytes);
            CHECK_MPI(MPI_Recv(in.data(), bytes, MPI_BYTE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            in.expect(static_cast<std::uint64_t>(i), "message from a detached buffer");
        }
    }
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
/// A communicator's own buffer serves its messages only.
void of_communicator() {
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    constexpr int room = 5;
    std::vector<char> memory(static_cast<std::size_t>(room * (message_bytes + MPI_BSEND_OVERHEAD)));
    CHECK_MPI(MPI_Comm_attach_buffer(comm, memory.data(), static_cast<int>(memory.size())));
    send_some(comm, room, message_bytes);
    none();
    receive_some(comm, room, message_bytes);
    CHECK_MPI(MPI_Comm_flush_buffer(comm));
    send_some(comm, 1, message_bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Comm_iflush_buffer(comm, &request));
    receive_some(comm, 1, message_bytes);
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    void *back = nullptr;
    int size = 0;
    CHECK_MPI(MPI_Comm_detach_buffer(comm, &back, &size));
    CHECK(back == memory.data());
    CHECK_EQ(size, static_cast<int>(memory.size()));
    CHECK_MPI(MPI_Comm_free(&comm));
}

/// With automatic buffering there is always room.
void automatic() {
    CHECK_MPI(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
    send_some(MPI_COMM_SELF, 300, 3 * message_bytes);
    receive_some(MPI_COMM_SELF, 300, 3 * message_bytes);
    send_some(MPI_COMM_SELF, 2, 200000);
    receive_some(MPI_COMM_SELF, 2, 200000);
    CHECK_MPI(MPI_Buffer_flush());
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Buffer_iflush(&request));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    void *back = nullptr;
    int size = -1;
    CHECK_MPI(MPI_Buffer_detach(&back, &size));
    CHECK(back == MPI_BUFFER_AUTOMATIC);
    CHECK_EQ(size, 0);

    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    CHECK_MPI(MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0));
    send_some(comm, 50, message_bytes);
    receive_some(comm, 50, message_bytes);
    CHECK_MPI(MPI_Comm_detach_buffer(comm, &back, &size));
    CHECK(back == MPI_BUFFER_AUTOMATIC);
    CHECK_MPI(MPI_Comm_free(&comm));
}
#endif

// To nobody a message needs no buffer, in whichever form.
void to_nobody() {
    const int value = 7;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Bsend(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Ibsend(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Bsend_init(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request));
    for (int round = 0; round < 2; ++round) {
        CHECK_MPI(MPI_Start(&request));
        CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    CHECK_MPI(MPI_Request_free(&request));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    to_nobody();
    none();
    attached();
    too_small();
    if (job.size > 1)
        detach_waits(job);
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    of_communicator();
    automatic();
#endif
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}
