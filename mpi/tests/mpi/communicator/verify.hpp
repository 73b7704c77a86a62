// SPDX-License-Identifier: Apache-2.0
// Looks whether a communicator is what it should be: its members in order, and messages that reach whom
// they should and nobody else.
#pragma once

#include "check.hpp"

#include <algorithm>
#include <vector>

/// The world's ranks of a group's members.
inline std::vector<int> world_ranks(MPI_Group group) {
    int size = 0;
    CHECK_MPI(MPI_Group_size(group, &size));
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::vector<int> result(ranks.size());
    for (int i = 0; i < size; ++i)
        ranks[static_cast<std::size_t>(i)] = i;
    MPI_Group world = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_MPI(MPI_Group_translate_ranks(group, size, ranks.data(), world, result.data()));
    CHECK_MPI(MPI_Group_free(&world));
    return result;
}

inline std::vector<int> members_of(MPI_Comm comm) {
    MPI_Group group = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_group(comm, &group));
    const std::vector<int> result = world_ranks(group);
    CHECK_MPI(MPI_Group_free(&group));
    return result;
}

inline std::vector<int> remote_members_of(MPI_Comm comm) {
    MPI_Group group = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_remote_group(comm, &group));
    const std::vector<int> result = world_ranks(group);
    CHECK_MPI(MPI_Group_free(&group));
    return result;
}

/// Every member sends its world rank around the ring, with one tag for all communicators.
inline void verify_ring(MPI_Comm comm, const std::vector<int> &members, int world_rank) {
    int size = 0;
    int rank = -1;
    CHECK_MPI(MPI_Comm_size(comm, &size));
    CHECK_MPI(MPI_Comm_rank(comm, &rank));
    int received = -1;
    MPI_Status status;
    const int left = (rank + size - 1) % size;
    CHECK_MPI(MPI_Sendrecv(&world_rank, 1, MPI_INT, (rank + 1) % size, 7, &received, 1, MPI_INT,
                           MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status));
    CHECK_EQ(received, members[static_cast<std::size_t>(left)]);
    CHECK_EQ(status.MPI_SOURCE, left);
    int sum = 0;
    int expected = 0;
    for (const int member : members)
        expected += member;
    CHECK_MPI(MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, expected);
}

/// An intra-communicator of these ranks of the world, in this order.
inline void verify_intra(MPI_Comm comm, const std::vector<int> &members, int world_rank) {
    CHECK(comm != MPI_COMM_NULL);
    int size = 0;
    int rank = -1;
    int inter = -1;
    CHECK_MPI(MPI_Comm_size(comm, &size));
    CHECK_MPI(MPI_Comm_rank(comm, &rank));
    CHECK_MPI(MPI_Comm_test_inter(comm, &inter));
    CHECK_EQ(inter, 0);
    CHECK_EQ(size, static_cast<int>(members.size()));
    CHECK_EQ(members[static_cast<std::size_t>(rank)], world_rank);
    CHECK(members_of(comm) == members);
    verify_ring(comm, members, world_rank);
}

/// An inter-communicator between these two lists of the world's ranks.
inline void verify_inter(MPI_Comm comm, const std::vector<int> &local, const std::vector<int> &remote,
                         int world_rank) {
    CHECK(comm != MPI_COMM_NULL);
    int size = 0;
    int remote_size = 0;
    int rank = -1;
    int inter = 0;
    CHECK_MPI(MPI_Comm_test_inter(comm, &inter));
    CHECK_EQ(inter, 1);
    CHECK_MPI(MPI_Comm_size(comm, &size));
    CHECK_MPI(MPI_Comm_remote_size(comm, &remote_size));
    CHECK_MPI(MPI_Comm_rank(comm, &rank));
    CHECK_EQ(size, static_cast<int>(local.size()));
    CHECK_EQ(remote_size, static_cast<int>(remote.size()));
    CHECK_EQ(local[static_cast<std::size_t>(rank)], world_rank);
    CHECK(members_of(comm) == local);
    CHECK(remote_members_of(comm) == remote);
    // Everyone sends to everyone on the other side.
    std::vector<MPI_Request> requests(remote.size());
    for (int dest = 0; dest < remote_size; ++dest)
        CHECK_MPI(
            MPI_Isend(&world_rank, 1, MPI_INT, dest, 3, comm, &requests[static_cast<std::size_t>(dest)]));
    std::vector<int> heard(remote.size(), -1);
    for (int i = 0; i < remote_size; ++i) {
        int value = -1;
        MPI_Status status;
        CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &status));
        heard[static_cast<std::size_t>(status.MPI_SOURCE)] = value;
    }
    CHECK(heard == remote);
    CHECK_MPI(MPI_Waitall(remote_size, requests.data(), MPI_STATUSES_IGNORE));
}
