// SPDX-License-Identifier: Apache-2.0
// MPIX_Threadcomm_*: threads of all processes, a different number in each, as ranks of one communicator:
// every pair exchanges messages, wildcards find all sources, collectives work, and a second round as well.
// Duplicates are communicators of the same threads with messages of their own; attributes belong to a thread
// and are deleted when it stops being a rank.
#include "../check.hpp"

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace {

void every_pair(MPI_Comm comm, int rank, int size) {
    std::vector<MPI_Request> requests;
    std::vector<int> got(static_cast<std::size_t>(size), -1);
    std::vector<std::vector<int>> sent;
    for (int peer = 0; peer < size; ++peer) {
        requests.emplace_back();
        CHECK_MPI(
            MPI_Irecv(&got[static_cast<std::size_t>(peer)], 1, MPI_INT, peer, rank, comm, &requests.back()));
    }
    for (int peer = 0; peer < size; ++peer) {
        const int word = 1000 * rank + peer;
        CHECK_MPI(MPI_Send(&word, 1, MPI_INT, peer, peer, comm));
    }
    CHECK_MPI(MPI_Waitall(size, requests.data(), MPI_STATUSES_IGNORE));
    for (int peer = 0; peer < size; ++peer)
        CHECK_EQ(got[static_cast<std::size_t>(peer)], 1000 * peer + rank);
}

void any_source(MPI_Comm comm, int rank, int size) {
    constexpr int many = 40000; // longer than what is sent unasked
    if (rank == size - 1) {
        std::vector<int> heard(static_cast<std::size_t>(size), 0);
        for (int i = 0; i < 2 * (size - 1); ++i) {
            std::vector<int> data(many);
            MPI_Status status;
            CHECK_MPI(MPI_Recv(data.data(), many, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status));
            int count = 0;
            CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
            CHECK_EQ(count, status.MPI_TAG == 7 ? 1 : many);
            CHECK_EQ(data.front(), status.MPI_SOURCE);
            ++heard[static_cast<std::size_t>(status.MPI_SOURCE)];
        }
        for (int source = 0; source < size - 1; ++source)
            CHECK_EQ(heard[static_cast<std::size_t>(source)], 2);
    } else {
        const std::vector<int> data(many, rank);
        CHECK_MPI(MPI_Send(data.data(), 1, MPI_INT, size - 1, 7, comm));
        CHECK_MPI(MPI_Send(data.data(), many, MPI_INT, size - 1, 8, comm));
    }
}

void collectives(MPI_Comm comm, int rank, int size) {
    int sum = 0;
    CHECK_MPI(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, size * (size - 1) / 2);
    std::vector<int> all(static_cast<std::size_t>(size));
    CHECK_MPI(MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, comm));
    for (int i = 0; i < size; ++i)
        CHECK_EQ(all[static_cast<std::size_t>(i)], i);
    std::vector<double> data(3000, rank == size / 2 ? 2.5 : 0.0);
    CHECK_MPI(MPI_Bcast(data.data(), 3000, MPI_DOUBLE, size / 2, comm));
    CHECK_EQ(data.back(), 2.5);
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Ibarrier(comm, &request));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Barrier(comm));
}

struct attributes {
    MPI_Comm whole = MPI_COMM_NULL;
    int kept = MPI_KEYVAL_INVALID;   // copied to duplicates
    int single = MPI_KEYVAL_INVALID; // not copied
    std::atomic<int> deleted{0};
    std::atomic<int> deleted_of_whole{0};
};
attributes shared; // each rank's own: thread ranks have their own image of the program

int count_deleted(MPI_Comm comm, int, void *, void *extra_state) {
    auto &all = *static_cast<attributes *>(extra_state);
    ++all.deleted;
    all.deleted_of_whole += comm == all.whole ? 1 : 0;
    return MPI_SUCCESS;
}

// The same messages in both communicators at once, and received in the other order.
void apart(MPI_Comm first, MPI_Comm second, int rank, int size) {
    constexpr int tag = 77; // of no other part of the test: others may be ahead
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    const int sent[2] = {rank, 1000 + rank};
    MPI_Request requests[2];
    CHECK_MPI(MPI_Isend(&sent[0], 1, MPI_INT, next, tag, first, &requests[0]));
    CHECK_MPI(MPI_Isend(&sent[1], 1, MPI_INT, next, tag, second, &requests[1]));
    int got = -1;
    CHECK_MPI(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, tag, second, MPI_STATUS_IGNORE));
    CHECK_EQ(got, 1000 + previous);
    CHECK_MPI(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, tag, first, MPI_STATUS_IGNORE));
    CHECK_EQ(got, previous);
    CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

void attributes_and_duplicates(MPI_Comm comm, int rank, int size) {
    int mine = rank;
    void *found = nullptr;
    int flag = 0;
    CHECK_MPI(MPI_Comm_set_attr(comm, shared.kept, &mine));
    CHECK_MPI(MPI_Comm_set_attr(comm, shared.single, &mine));
    CHECK_MPI(MPI_Barrier(comm));
    CHECK_MPI(MPI_Comm_get_attr(comm, shared.kept, static_cast<void *>(&found), &flag));
    CHECK_EQ(flag != 0 && found == &mine, true);

    MPI_Comm copy = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(comm, &copy));
    MPI_Comm later = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Comm_idup(copy, &later, &request));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (MPI_Comm each : {copy, later}) {
        int number = -1;
        CHECK_MPI(MPI_Comm_rank(each, &number));
        CHECK_EQ(number, rank);
        int relation = -1;
        CHECK_MPI(MPI_Comm_compare(comm, each, &relation));
        CHECK_EQ(relation, MPI_CONGRUENT);
        CHECK_MPI(MPI_Comm_get_attr(each, shared.kept, static_cast<void *>(&found), &flag));
        CHECK_EQ(flag != 0 && found == &mine, true);
        CHECK_MPI(MPI_Comm_get_attr(each, shared.single, static_cast<void *>(&found), &flag));
        CHECK_EQ(flag, 0);
        apart(comm, each, rank, size);
        every_pair(each, rank, size);
        collectives(each, rank, size);
    }
    apart(copy, later, rank, size);
    MPI_Comm part = MPI_COMM_NULL;
    CHECK_ERROR(MPI_ERR_COMM, MPI_Comm_split(comm, 0, 0, &part));
    CHECK_ERROR(MPI_ERR_COMM, MPI_Comm_free(&comm)); // MPIX_Threadcomm_free does that
    CHECK_MPI(MPI_Comm_free(&copy));
    CHECK_MPI(MPI_Comm_disconnect(&later));
}

void run_thread(MPI_Comm comm, int threads_in_all, int mine_first, int mine_end) {
    CHECK_MPI(MPIX_Threadcomm_start(comm));
    int rank = -1;
    int size = -1;
    CHECK_MPI(MPI_Comm_rank(comm, &rank));
    CHECK_MPI(MPI_Comm_size(comm, &size));
    CHECK_EQ(size, threads_in_all);
    CHECK_EQ(rank >= mine_first && rank < mine_end, true);
    every_pair(comm, rank, size);
    any_source(comm, rank, size);
    collectives(comm, rank, size);
    attributes_and_duplicates(comm, rank, size);
    CHECK_MPI(MPIX_Threadcomm_finish(comm));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    const int mine = 2 + job.rank % 2;
    int all = 0;
    int first = 0;
    CHECK_MPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Exscan(&mine, &first, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_MPI(MPIX_Threadcomm_init(MPI_COMM_WORLD, mine, &comm));
    shared.whole = comm;
    CHECK_MPI(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, count_deleted, &shared.kept, &shared));
    CHECK_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_deleted, &shared.single, &shared));
    for (int round = 0; round < 2; ++round) {
        std::vector<std::thread> threads;
        for (int i = 0; i < mine; ++i)
            threads.emplace_back(run_thread, comm, all, first, first + mine);
        for (auto &thread : threads)
            thread.join();
        CHECK_EQ(shared.deleted.load(), 4 * mine * (round + 1)); // two of the whole, one of each duplicate
        CHECK_EQ(shared.deleted_of_whole.load(), 2 * mine * (round + 1));
    }
    CHECK_MPI(MPI_Comm_free_keyval(&shared.kept));
    CHECK_MPI(MPI_Comm_free_keyval(&shared.single));
    int size = 0;
    CHECK_ERROR(MPI_ERR_COMM, MPI_Comm_size(comm, &size)); // this thread is no rank of it
    CHECK_ERROR(MPI_ERR_COMM, MPIX_Threadcomm_finish(comm));
    CHECK_ERROR(MPI_ERR_COMM, MPIX_Threadcomm_start(MPI_COMM_WORLD));
    CHECK_MPI(MPIX_Threadcomm_free(&comm));
    CHECK_EQ(comm == MPI_COMM_NULL, true);
    CHECK_ERROR(MPI_ERR_ARG, MPIX_Threadcomm_init(MPI_COMM_SELF, 0, &comm));
    return 0;
}
