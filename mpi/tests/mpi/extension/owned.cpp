// SPDX-License-Identifier: Apache-2.0
// MPIX_Send_owned: a buffer that is given away arrives with its contents, the same buffer within an address
// space and a copy elsewhere; it is released exactly once, and by the last owner.
#include "../check.hpp"

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

int released = 0; // by this rank's own function, on whatever rank it is called

void release(void *buffer, MPI_Count bytes, void *extra_state) {
    ++*static_cast<int *>(extra_state);
    std::memset(buffer, 0xdd, static_cast<std::size_t>(bytes));
    delete[] static_cast<char *>(buffer);
}

char *made(int bytes, int seed) {
    char *const buffer = new char[static_cast<std::size_t>(bytes)];
    std::iota(buffer, buffer + bytes, static_cast<char>(seed));
    return buffer;
}

bool is_made(const void *buffer, MPI_Count bytes, int seed) {
    const char *const data = static_cast<const char *>(buffer);
    for (MPI_Count i = 0; i < bytes; ++i) {
        if (data[i] != static_cast<char>(seed + static_cast<int>(i)))
            return false;
    }
    return true;
}

void pass_around(const check::job &job, int bytes) {
    const int next = (job.rank + 1) % job.size;
    const int before = (job.rank + job.size - 1) % job.size;
    int next_shares = 0;
    int before_shares = 0;
    CHECK_MPI(MPIX_Comm_shares_memory(MPI_COMM_WORLD, next, &next_shares));
    CHECK_MPI(MPIX_Comm_shares_memory(MPI_COMM_WORLD, before, &before_shares));
    released = 0;
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); // the next rank may release what is ours at once
    char *const mine = made(bytes, job.rank);
    // A plain message with the same tag is something else.
    int word = job.rank;
    CHECK_MPI(MPI_Send(&word, 1, MPI_INT, next, 5, MPI_COMM_WORLD));
    MPI_Request sent = MPI_REQUEST_NULL;
    const std::intptr_t address = reinterpret_cast<std::intptr_t>(mine);
    CHECK_MPI(MPI_Isend(&address, 1, MPI_AINT, next, 6, MPI_COMM_WORLD, &sent));
    void *got = nullptr;
    void *state = nullptr;
    MPI_Count got_bytes = -1;
    MPIX_Free_function *give_back = nullptr;
    MPI_Status status;
    const auto receive = [&] {
        CHECK_MPI(MPIX_Recv_owned(&got, &got_bytes, &give_back, &state, MPI_ANY_SOURCE, MPI_ANY_TAG,
                                  MPI_COMM_WORLD, &status));
    };
    // Even ranks give first: a large one between processes waits for its receiver.
    if (job.rank % 2 == 0) {
        CHECK_MPI(MPIX_Send_owned(mine, bytes, release, &released, next, 5, MPI_COMM_WORLD));
        receive();
    } else {
        receive();
        CHECK_MPI(MPIX_Send_owned(mine, bytes, release, &released, next, 5, MPI_COMM_WORLD));
    }
    CHECK_EQ(status.MPI_SOURCE, before);
    CHECK_EQ(status.MPI_TAG, 5);
    CHECK_EQ(got_bytes, bytes);
    int count = 0;
    CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQ(count, bytes);
    CHECK_EQ(is_made(got, got_bytes, before), true);
    std::intptr_t was_at = 0;
    CHECK_MPI(MPI_Recv(&was_at, 1, MPI_AINT, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (before_shares != 0)
        CHECK_EQ(reinterpret_cast<std::intptr_t>(got), was_at);
    CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(word, before);
    give_back(got, got_bytes, state);
    CHECK_MPI(MPI_Wait(&sent, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_EQ(released, 1);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (const int bytes : {1, 100, 5000, 300000, 3000000})
        pass_around(job, bytes);

    // Order is kept, and what is not there is not found.
    void *got = nullptr;
    void *state = nullptr;
    MPI_Count bytes = -1;
    MPIX_Free_function *give_back = nullptr;
    int flag = -1;
    CHECK_MPI(MPIX_Tryrecv_owned(&got, &bytes, &give_back, &state, MPI_ANY_SOURCE, 9, MPI_COMM_SELF, &flag,
                                 MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
    released = 0;
    for (int i = 0; i < 3; ++i)
        CHECK_MPI(MPIX_Send_owned(made(10, i), 10, release, &released, 0, 9, MPI_COMM_SELF));
    for (int i = 0; i < 3; ++i) {
        do {
            CHECK_MPI(MPIX_Tryrecv_owned(&got, &bytes, &give_back, &state, 0, 9, MPI_COMM_SELF, &flag,
                                         MPI_STATUS_IGNORE));
        } while (flag == 0);
        CHECK_EQ(is_made(got, bytes, i), true);
        give_back(got, bytes, state);
    }
    CHECK_EQ(released, 3);

    CHECK_MPI(MPIX_Send_owned(made(4, 0), 4, release, &released, MPI_PROC_NULL, 9, MPI_COMM_WORLD));
    CHECK_EQ(released, 4);
    CHECK_MPI(MPIX_Recv_owned(&got, &bytes, &give_back, &state, MPI_PROC_NULL, 9, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
    CHECK_EQ(bytes, 0);
    give_back(got, bytes, state);

    char one = 0;
    CHECK_ERROR(MPI_ERR_RANK, MPIX_Send_owned(&one, 1, release, nullptr, job.size, 0, MPI_COMM_WORLD));
    CHECK_ERROR(MPI_ERR_TAG, MPIX_Send_owned(&one, 1, release, nullptr, 0, -1, MPI_COMM_WORLD));
    CHECK_ERROR(MPI_ERR_ARG, MPIX_Send_owned(&one, -1, release, nullptr, 0, 0, MPI_COMM_WORLD));
    CHECK_ERROR(MPI_ERR_ARG, MPIX_Send_owned(&one, 1, nullptr, nullptr, 0, 0, MPI_COMM_WORLD));
    return 0;
}
