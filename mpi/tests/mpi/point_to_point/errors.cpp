// SPDX-License-Identifier: Apache-2.0
// What goes wrong is reported with the standard's error class: messages longer than their buffer, and every
// wrong argument of the point-to-point calls. The communicators return errors; the job lives on after each.
#include "payload.hpp"

#include <string>
#include <vector>

namespace {

void truncation(const check::job &job, std::size_t bytes, std::size_t room) {
    if (job.rank > 1)
        return;
    constexpr int ways = 6;
    if (job.rank == 1) {
        guarded_buffer out(bytes);
        out.fill(bytes);
        for (int i = 0; i < ways; ++i)
            CHECK_MPI(MPI_Send(out.data(), static_cast<int>(bytes), MPI_BYTE, 0, i, MPI_COMM_WORLD));
        int after = 99;
        CHECK_MPI(MPI_Send(&after, 1, MPI_INT, 0, 50, MPI_COMM_WORLD));
        return;
    }
    const int count = static_cast<int>(room);
    for (int i = 0; i < ways; ++i) {
        guarded_buffer in(room);
        MPI_Status statuses[2];
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Message message = MPI_MESSAGE_NULL;
        int flag = 0;
        int index = -1;
        switch (i) {
        case 0:
            CHECK_ERROR(MPI_ERR_TRUNCATE,
                        MPI_Recv(in.data(), count, MPI_BYTE, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            break;
        case 1:
            CHECK_MPI(MPI_Irecv(in.data(), count, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[0]));
            CHECK_ERROR(MPI_ERR_TRUNCATE, MPI_Wait(&requests[0], &statuses[0]));
            CHECK(requests[0] == MPI_REQUEST_NULL);
            break;
        case 2:
            CHECK_MPI(MPI_Irecv(in.data(), count, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[0]));
            CHECK_ERROR(MPI_ERR_IN_STATUS, MPI_Waitall(2, requests, statuses));
            CHECK_EQ(check::error_class(statuses[0].MPI_ERROR), MPI_ERR_TRUNCATE);
            CHECK_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
            break;
        case 3:
            CHECK_MPI(MPI_Mprobe(1, i, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
            CHECK_ERROR(MPI_ERR_TRUNCATE, MPI_Mrecv(in.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE));
            break;
        case 4:
            CHECK_MPI(MPI_Irecv(in.data(), count, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[0]));
            for (;;) {
                const int code = MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
                if (code != MPI_SUCCESS) {
                    CHECK_EQ(check::error_class(code), MPI_ERR_TRUNCATE);
                    break;
                }
                CHECK_EQ(flag, 0);
            }
            break;
        default:
            CHECK_MPI(MPI_Irecv(in.data(), count, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[1]));
            CHECK_ERROR(MPI_ERR_TRUNCATE, MPI_Waitany(2, requests, &index, &statuses[0]));
            CHECK_EQ(index, 1);
            break;
        }
        // How much of the message is stored is not said, but nothing may lie behind the buffer.
        fill_random(in.data(), room, 5);
        in.expect(5, "truncated message");
    }
    int after = 0;
    CHECK_MPI(MPI_Recv(&after, 1, MPI_INT, 1, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(after, 99);
}

void send_arguments(const check::job &job) {
    int value = 1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_contiguous(2, MPI_INT, &uncommitted));
    const auto each = [&](int expected, const void *data, int count, MPI_Datatype type, int dest, int tag,
                          MPI_Comm comm) {
        CHECK_ERROR(expected, MPI_Send(data, count, type, dest, tag, comm));
        CHECK_ERROR(expected, MPI_Ssend(data, count, type, dest, tag, comm));
        CHECK_ERROR(expected, MPI_Bsend(data, count, type, dest, tag, comm));
        CHECK_ERROR(expected, MPI_Rsend(data, count, type, dest, tag, comm));
        CHECK_ERROR(expected, MPI_Isend(data, count, type, dest, tag, comm, &request));
        CHECK_ERROR(expected, MPI_Issend(data, count, type, dest, tag, comm, &request));
        CHECK_ERROR(expected, MPI_Ibsend(data, count, type, dest, tag, comm, &request));
        CHECK_ERROR(expected, MPI_Irsend(data, count, type, dest, tag, comm, &request));
        CHECK_ERROR(expected, MPI_Send_init(data, count, type, dest, tag, comm, &request));
        CHECK_ERROR(expected, MPI_Ssend_init(data, count, type, dest, tag, comm, &request));
        CHECK_ERROR(expected, MPI_Bsend_init(data, count, type, dest, tag, comm, &request));
        CHECK_ERROR(expected, MPI_Rsend_init(data, count, type, dest, tag, comm, &request));
    };
    each(MPI_ERR_COUNT, &value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    each(MPI_ERR_TYPE, &value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
    each(MPI_ERR_TYPE, &value, 1, uncommitted, 0, 0, MPI_COMM_WORLD);
    each(MPI_ERR_RANK, &value, 1, MPI_INT, job.size, 0, MPI_COMM_WORLD);
    each(MPI_ERR_RANK, &value, 1, MPI_INT, -77, 0, MPI_COMM_WORLD);
    each(MPI_ERR_RANK, &value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD);
    each(MPI_ERR_TAG, &value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);
    each(MPI_ERR_TAG, &value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD);
    each(MPI_ERR_COMM, &value, 1, MPI_INT, 0, 0, MPI_COMM_NULL);
    each(MPI_ERR_BUFFER, nullptr, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    CHECK_MPI(MPI_Type_free(&uncommitted));

    // The largest tag is allowed (and one more is not, where the next number exists).
    int *largest = nullptr;
    int flag = 0;
    CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &flag));
    CHECK(flag != 0 && *largest >= 32767);
    CHECK_MPI(MPI_Isend(&value, 1, MPI_INT, job.rank, *largest, MPI_COMM_WORLD, &request));
    int in = 0;
    CHECK_MPI(MPI_Recv(&in, 1, MPI_INT, job.rank, *largest, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (*largest < 2147483647)
        CHECK_ERROR(MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, 0, *largest + 1, MPI_COMM_WORLD));
}

void receive_arguments(const check::job &job) {
    int value = 1;
    int flag = 0;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message = MPI_MESSAGE_NULL;
    const auto each = [&](int expected, void *data, int count, MPI_Datatype type, int source, int tag,
                          MPI_Comm comm) {
        CHECK_ERROR(expected, MPI_Recv(data, count, type, source, tag, comm, &status));
        CHECK_ERROR(expected, MPI_Irecv(data, count, type, source, tag, comm, &request));
        CHECK_ERROR(expected, MPI_Recv_init(data, count, type, source, tag, comm, &request));
        CHECK_ERROR(expected, MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, data, count, type, source,
                                           tag, comm, &status));
    };
    each(MPI_ERR_COUNT, &value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    each(MPI_ERR_TYPE, &value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
    each(MPI_ERR_RANK, &value, 1, MPI_INT, job.size, 0, MPI_COMM_WORLD);
    each(MPI_ERR_RANK, &value, 1, MPI_INT, -77, 0, MPI_COMM_WORLD);
    each(MPI_ERR_TAG, &value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);
    each(MPI_ERR_COMM, &value, 1, MPI_INT, 0, 0, MPI_COMM_NULL);
    each(MPI_ERR_BUFFER, nullptr, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    CHECK_ERROR(MPI_ERR_RANK, MPI_Probe(job.size, 0, MPI_COMM_WORLD, &status));
    CHECK_ERROR(MPI_ERR_TAG, MPI_Iprobe(0, -5, MPI_COMM_WORLD, &flag, &status));
    CHECK_ERROR(MPI_ERR_COMM, MPI_Mprobe(0, 0, MPI_COMM_NULL, &message, &status));
    CHECK_ERROR(MPI_ERR_RANK, MPI_Improbe(-9, 0, MPI_COMM_WORLD, &flag, &message, &status));
}

void request_arguments() {
    int flag = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Start(&request));
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Cancel(&request));
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Request_free(&request));
    int value = 0;
    const int out = 1;
    // A request that is not persistent cannot be started.
    CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, 0, 77, MPI_COMM_SELF, &request));
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Start(&request));
    CHECK_MPI(MPI_Send(&out, 1, MPI_INT, 0, 77, MPI_COMM_SELF));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    // Nor a persistent one twice.
    CHECK_MPI(MPI_Recv_init(&value, 1, MPI_INT, 0, 78, MPI_COMM_SELF, &request));
    CHECK_MPI(MPI_Start(&request));
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Start(&request));
    CHECK_MPI(MPI_Send(&out, 1, MPI_INT, 0, 78, MPI_COMM_SELF));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Request_free(&request));
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE));
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Testall(-1, &request, &flag, MPI_STATUSES_IGNORE));
}

} // namespace

/// The sentence of a rank's last error is its own, whichever ranks have run on its thread since.
void sentence(const check::job &job) {
    const int wrong = 1000 + job.rank;
    const int error = MPI_Send(nullptr, 0, MPI_INT, wrong, 0, MPI_COMM_SELF);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    CHECK_MPI(MPI_Error_string(error, text, &length));
    CHECK(std::string(text).find("rank " + std::to_string(wrong)) != std::string::npos);
}

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    if (job.size > 1)
        for (const std::size_t bytes : {100, 1000, 20000, 300000})
            for (const std::size_t room : {std::size_t{0}, std::size_t{1}, bytes - 1})
                truncation(job, bytes, room);
    send_arguments(job);
    receive_arguments(job);
    request_arguments();
    sentence(job);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}
