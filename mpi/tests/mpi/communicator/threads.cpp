// SPDX-License-Identifier: Apache-2.0
// Several threads of each rank create and free communicators at once: from communicators of their own, and
// from a common one with tags of their own.
#include "verify.hpp"

#include <thread>

namespace {

constexpr int thread_count = 4;
constexpr int rounds = 50;

std::vector<int> everyone(int size) {
    std::vector<int> all(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i)
        all[static_cast<std::size_t>(i)] = i;
    return all;
}

void work(const check::job &job, int thread, MPI_Comm own, MPI_Comm common) {
    std::vector<int> reversed = everyone(job.size);
    std::reverse(reversed.begin(), reversed.end());
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group backwards = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_group(common, &group));
    CHECK_MPI(MPI_Group_incl(group, job.size, reversed.data(), &backwards));
    int key = MPI_KEYVAL_INVALID;
    CHECK_MPI(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr));
    CHECK_MPI(MPI_Comm_set_attr(own, key, &thread));
    for (int round = 0; round < rounds; ++round) {
        MPI_Comm parts[3] = {MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL};
        CHECK_MPI(MPI_Comm_dup(own, &parts[0]));
        CHECK_MPI(MPI_Comm_create_group(common, backwards, thread, &parts[1]));
        CHECK_MPI(MPI_Comm_split(parts[0], 0, -job.rank, &parts[2]));
        int *found = nullptr;
        int flag = 0;
        CHECK_MPI(MPI_Comm_get_attr(parts[0], key, static_cast<void *>(&found), &flag));
        CHECK_EQ(flag, 1);
        CHECK(found == &thread);
        verify_intra(parts[0], everyone(job.size), job.rank);
        verify_intra(parts[1], reversed, job.rank);
        verify_intra(parts[2], reversed, job.rank);
        for (auto &part : parts)
            CHECK_MPI(MPI_Comm_free(&part));
    }
    CHECK_MPI(MPI_Comm_free_keyval(&key));
    CHECK_MPI(MPI_Group_free(&group));
    CHECK_MPI(MPI_Group_free(&backwards));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv, MPI_THREAD_MULTIPLE};
    std::vector<MPI_Comm> own(thread_count, MPI_COMM_NULL);
    for (auto &comm : own)
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    std::vector<std::thread> threads;
    for (int thread = 0; thread < thread_count; ++thread)
        threads.emplace_back([&job, thread, comm = own[static_cast<std::size_t>(thread)]] {
            work(job, thread, comm, MPI_COMM_WORLD);
        });
    for (auto &thread : threads)
        thread.join();
    for (auto &comm : own)
        CHECK_MPI(MPI_Comm_free(&comm));
    return 0;
}
