// SPDX-License-Identifier: Apache-2.0
// Which fabric carries the messages of each ordered pair of ranks: none of a pair on one node goes over the
// network, all of the others do. MPI_COMM_TYPE_SHARED tells who is on a node, and the tool interface what the
// network has carried.
#include "check.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

constexpr int messages = 100;

/// Packets that the calling process has sent over the network to the ranks of a communicator.
class packet_counter {
  public:
    explicit packet_counter(MPI_Comm comm) {
        int level = 0, index = 0, count = 0;
        CHECK_MPI(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
        CHECK_MPI(MPI_T_pvar_get_index("lisle_network_packets", MPI_T_PVAR_CLASS_COUNTER, &index));
        CHECK_MPI(MPI_T_pvar_session_create(&session_));
        CHECK_MPI(MPI_T_pvar_handle_alloc(session_, index, &comm, &handle_, &count));
        CHECK_EQ(count, 1);
        CHECK_MPI(MPI_T_pvar_start(session_, handle_));
    }
    packet_counter(const packet_counter &) = delete;
    packet_counter &operator=(const packet_counter &) = delete;
    ~packet_counter() {
        CHECK_MPI(MPI_T_pvar_session_free(&session_));
        CHECK_MPI(MPI_T_finalize());
    }
    [[nodiscard]] unsigned long long read() {
        unsigned long long value = 0;
        CHECK_MPI(MPI_T_pvar_read(session_, handle_, &value));
        return value;
    }

  private:
    MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
};

/// By rank: whether it is on the caller's node.
std::vector<bool> near(int size) {
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Group here = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    CHECK_MPI(MPI_Comm_group(node, &here));
    CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
    int count = 0;
    CHECK_MPI(MPI_Group_size(here, &count));
    std::vector<int> all(static_cast<std::size_t>(count)), ranks(all.size());
    for (int i = 0; i < count; ++i)
        all[static_cast<std::size_t>(i)] = i;
    CHECK_MPI(MPI_Group_translate_ranks(here, count, all.data(), world, ranks.data()));
    std::vector<bool> found(static_cast<std::size_t>(size));
    for (const int rank : ranks)
        found[static_cast<std::size_t>(rank)] = true;
    CHECK_MPI(MPI_Group_free(&here));
    CHECK_MPI(MPI_Group_free(&world));
    CHECK_MPI(MPI_Comm_free(&node));
    return found;
}

/// A communicator of two ranks of the world; null for all others.
MPI_Comm pair_of(int one, int other) {
    MPI_Group world = MPI_GROUP_NULL, two = MPI_GROUP_NULL;
    MPI_Comm pair = MPI_COMM_NULL;
    const int ranks[] = {one, other};
    CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_MPI(MPI_Group_incl(world, 2, ranks, &two));
    CHECK_MPI(MPI_Comm_create(MPI_COMM_WORLD, two, &pair));
    CHECK_MPI(MPI_Group_free(&two));
    CHECK_MPI(MPI_Group_free(&world));
    return pair;
}

void check_pair(int sender, int receiver, const std::vector<bool> &is_near) {
    MPI_Comm pair = pair_of(sender, receiver);
    if (pair == MPI_COMM_NULL)
        return;
    int rank = 0;
    CHECK_MPI(MPI_Comm_rank(pair, &rank));
    if (rank == 0) {
        packet_counter packets{pair};
        const bool local = is_near[static_cast<std::size_t>(receiver)];
        for (int i = 0; i < messages; ++i)
            CHECK_MPI(MPI_Ssend(&i, 1, MPI_INT, 1, 0, pair));
        const unsigned long long carried = packets.read();
        if (local)
            CHECK_EQ(carried, 0ULL);
        else
            CHECK(carried >= messages);
    } else {
        for (int i = 0; i < messages; ++i) {
            int got = -1;
            CHECK_MPI(MPI_Recv(&got, 1, MPI_INT, 0, 0, pair, MPI_STATUS_IGNORE));
            CHECK_EQ(got, i);
        }
    }
    CHECK_MPI(MPI_Comm_free(&pair));
}

} // namespace

int main(int argc, char **argv) {
    CHECK_MPI(MPI_Init(&argc, &argv));
    int rank = 0, size = 0;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
    const std::vector<bool> is_near = near(size);
    const auto here = static_cast<int>(std::count(is_near.begin(), is_near.end(), true));
    if (argc > 1) // the number of ranks that each node has
        CHECK_EQ(here, std::atoi(argv[1]));
    for (int sender = 0; sender < size; ++sender)
        for (int receiver = 0; receiver < size; ++receiver)
            if (sender != receiver)
                check_pair(sender, receiver, is_near);
    CHECK_MPI(MPI_Finalize());
    return 0;
}
