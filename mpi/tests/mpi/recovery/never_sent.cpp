// SPDX-License-Identifier: Apache-2.0
// Messages that a failed rank never sent: probes of all kinds, partitioned receives, and buffers that change
// owner end with an error, and what it sent before is there.
#include "after_death.hpp"

#include <array>

namespace {

constexpr int sent_tag = 1, never_tag = 2;

void probe(int from) {
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    int flag = 0, error = MPI_SUCCESS;
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, MPI_Probe(from, never_tag, MPI_COMM_WORLD, &status));
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, MPI_Mprobe(from, never_tag, MPI_COMM_WORLD, &message, &status));
    while (error == MPI_SUCCESS && flag == 0)
        error = MPI_Iprobe(from, never_tag, MPI_COMM_WORLD, &flag, &status);
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, error);
    error = MPI_SUCCESS;
    while (error == MPI_SUCCESS && flag == 0)
        error = MPI_Improbe(from, never_tag, MPI_COMM_WORLD, &flag, &message, &status);
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, error);
    CHECK_EQ(flag, 0);
}

void take_owned(int from) {
    void *data = nullptr, *state = nullptr;
    MPI_Count bytes = 0;
    MPIX_Free_function *release = nullptr;
    int flag = 0, error = MPI_SUCCESS;
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, MPIX_Recv_owned(&data, &bytes, &release, &state, from, never_tag,
                                                      MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    while (error == MPI_SUCCESS && flag == 0)
        error = MPIX_Tryrecv_owned(&data, &bytes, &release, &state, from, never_tag, MPI_COMM_WORLD, &flag,
                                   MPI_STATUS_IGNORE);
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, error);
}

/// Twice, since the request is persistent.
void receive_partitions(int from) {
    std::array<int, 4> data{7, 7, 7, 7};
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Precv_init(data.data(), 4, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    for (int round = 0; round < 2; ++round) {
        CHECK_MPI(MPI_Start(&request));
        int arrived = 0, error = MPI_SUCCESS;
        while (error == MPI_SUCCESS && arrived == 0)
            error = MPI_Parrived(request, 1, &arrived);
        CHECK_ERROR(MPIX_ERR_PROC_FAILED, error);
        CHECK_EQ(arrived, 0);
        CHECK_ERROR(MPIX_ERR_PROC_FAILED, MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    CHECK_EQ(data[0] + data[1] + data[2] + data[3], 28);
    CHECK_MPI(MPI_Request_free(&request));
}

/// The sender has marked two of its four partitions before it died.
void finish_partitions(MPI_Request request, const int *data) {
    int arrived = 0, error = MPI_SUCCESS;
    while (error == MPI_SUCCESS && arrived == 0)
        error = MPI_Parrived(request, 2, &arrived);
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, error);
    for (const int partition : {0, 1}) {
        CHECK_MPI(MPI_Parrived(request, partition, &arrived));
        CHECK_EQ(arrived, 1);
        CHECK_EQ(data[partition], partition);
    }
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Request_free(&request));
}

/// A doomed rank sends each survivor a message, and half of a partitioned one.
[[noreturn]] void send_and_die(const recovery::losing_job &job) {
    std::array<int, 4> parts{0, 1, 2, 3};
    if (job.rank == job.size - 1) {
        for (int to = 0; to < job.alive; ++to) {
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(
                MPI_Psend_init(parts.data(), 4, 1, MPI_INT, to, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
            CHECK_MPI(MPI_Start(&request));
            CHECK_MPI(MPI_Pready_range(0, 1, request));
            CHECK_MPI(MPI_Send(&to, 1, MPI_INT, to, sent_tag, MPI_COMM_WORLD));
            CHECK_MPI(MPI_Recv(nullptr, 0, MPI_INT, to, sent_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
        recovery::losing_job::die();
    }
    for (;;)
        MPI_Probe(job.size - 1, never_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

} // namespace

int main(int argc, char **argv) {
    const recovery::losing_job job{&argc, &argv};
    if (job.doomed)
        send_and_die(job);
    const int last = job.size - 1;
    std::array<int, 4> data{-1, -1, -1, -1};
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Precv_init(data.data(), 4, 1, MPI_INT, last, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    CHECK_MPI(MPI_Start(&request));
    CHECK_MPI(MPI_Probe(last, sent_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int arrived = 0; arrived == 0;)
        CHECK_MPI(MPI_Parrived(request, 1, &arrived));
    CHECK_MPI(MPI_Send(nullptr, 0, MPI_INT, last, sent_tag, MPI_COMM_WORLD));
    probe(last); // waits when the rank dies
    probe(MPI_ANY_SOURCE);
    int value = -1, gone = 0;
    CHECK_MPI(MPI_Probe(last, sent_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); // still there
    CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, last, sent_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(value, job.rank);
    finish_partitions(request, data.data());
    receive_partitions(last);
    take_owned(last);
    job.await_death();
    CHECK_MPI(MPIX_Comm_ack_failed(MPI_COMM_WORLD, job.size, &gone));
    int flag = 1;
    CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, never_tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0); // acknowledged: any source may be another rank
    if (job.rank == 0)
        std::printf("the survivors go on\n");
}
