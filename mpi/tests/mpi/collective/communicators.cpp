// SPDX-License-Identifier: Apache-2.0
// Collectives beside others: between two groups; many outstanding at once on many communicators, completed in
// another order; while wildcard receives of the user's wait on the same communicator.
#include "forms.hpp"

#include <algorithm>

namespace {

/// Two groups of the world (even and odd ranks) and the inter-communicator between them.
struct groups {
    int world_rank = 0, world_size = 0;
    MPI_Comm local = MPI_COMM_NULL, inter = MPI_COMM_NULL;
    int rank = 0, size = 0, others = 0;
    bool even = false;

    groups() {
        MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
        MPI_Comm_size(MPI_COMM_WORLD, &world_size);
        even = world_rank % 2 == 0;
        CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &local));
        CHECK_MPI(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, even ? 1 : 0, 5, &inter));
        MPI_Comm_rank(inter, &rank);
        MPI_Comm_size(inter, &size);
        MPI_Comm_remote_size(inter, &others);
    }
    ~groups() {
        MPI_Comm_free(&inter);
        MPI_Comm_free(&local);
    }
    groups(const groups &) = delete;
    groups &operator=(const groups &) = delete;

    /// The rank in the world of a rank of the other group.
    int other(int of) const { return 2 * of + (even ? 1 : 0); }
    /// What this rank passes as root when the root is rank `of` of the even (or odd) group.
    int root(bool in_even, int of) const {
        if (in_even != even)
            return of;
        return rank == of ? MPI_ROOT : MPI_PROC_NULL;
    }
};

void between_groups(form how, int count) {
    const groups g;
    using ints = std::vector<int>;
    const auto size_of = [&](int blocks) { return static_cast<std::size_t>(blocks * count); };
    ints own(size_of(1)), all(size_of(g.others)), wide(size_of(g.others));
    const auto none = [] {};
    const auto block = [&](const ints &from, int index, int world_rank) {
        for (int i = 0; i < count; ++i)
            CHECK_EQ(from[static_cast<std::size_t>(index * count + i)], value(world_rank, i));
    };
    for (int i = 0; i < count; ++i)
        own[static_cast<std::size_t>(i)] = value(g.world_rank, i);
    const auto clear = [&] { std::fill(all.begin(), all.end(), 77); };

    call(how, none, MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, g.inter);
    call(how, clear, MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, own.data(), count, MPI_INT,
         all.data(), count, MPI_INT, g.inter);
    for (int peer = 0; peer < g.others; ++peer)
        block(all, peer, g.other(peer));

    std::vector<int> counts, places;
    for (int peer = 0; peer < g.others; ++peer) {
        counts.push_back(count);
        places.push_back((g.others - 1 - peer) * count);
    }
    call(how, clear, MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, own.data(), count, MPI_INT,
         all.data(), counts.data(), places.data(), MPI_INT, g.inter);
    for (int peer = 0; peer < g.others; ++peer)
        block(all, g.others - 1 - peer, g.other(peer));

    for (int peer = 0; peer < g.others; ++peer)
        for (int i = 0; i < count; ++i)
            wide[static_cast<std::size_t>(peer * count + i)] = value(g.world_rank * 50 + g.other(peer), i);
    const auto check_pairs = [&] {
        for (int peer = 0; peer < g.others; ++peer)
            for (int i = 0; i < count; ++i)
                CHECK_EQ(all[static_cast<std::size_t>(peer * count + i)],
                         value(g.other(peer) * 50 + g.world_rank, i));
    };
    call(how, clear, MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, wide.data(), count, MPI_INT, all.data(),
         count, MPI_INT, g.inter);
    check_pairs();
    std::reverse(places.begin(), places.end());
    call(how, clear, MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, wide.data(), counts.data(),
         places.data(), MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, g.inter);
    check_pairs();

    ints sum(size_of(1));
    const auto sum_of_group = [&](bool of_even, int i) {
        int result = 0;
        for (int rank = of_even ? 0 : 1; rank < g.world_size; rank += 2)
            result += value(rank, i);
        return result;
    };
    call(how, none, MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, own.data(), sum.data(), count, MPI_INT,
         MPI_SUM, g.inter);
    for (int i = 0; i < count; ++i)
        CHECK_EQ(sum[static_cast<std::size_t>(i)], sum_of_group(!g.even, i));

    // Vectors that both groups can cut into equal pieces.
    const int total = g.size * g.others * count, piece = g.others * count;
    ints vector(static_cast<std::size_t>(total)), part(static_cast<std::size_t>(piece));
    for (int i = 0; i < total; ++i)
        vector[static_cast<std::size_t>(i)] = value(g.world_rank, i);
    const auto check_piece = [&] {
        for (int i = 0; i < piece; ++i)
            CHECK_EQ(part[static_cast<std::size_t>(i)], sum_of_group(!g.even, g.rank * piece + i));
    };
    call(how, none, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init,
         vector.data(), part.data(), piece, MPI_INT, MPI_SUM, g.inter);
    check_piece();
    const std::vector<int> pieces(static_cast<std::size_t>(g.size), piece);
    call(how, none, MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, vector.data(),
         part.data(), pieces.data(), MPI_INT, MPI_SUM, g.inter);
    check_piece();

    for (const bool in_even : {true, false}) {
        for (int of = 0; of < (in_even == g.even ? g.size : g.others); ++of) {
            const int root = g.root(in_even, of);
            const int world_root = 2 * of + (in_even ? 0 : 1);
            ints data = root == MPI_ROOT ? own : ints(size_of(1), 77);
            call(how, none, MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, data.data(), count, MPI_INT, root,
                 g.inter);
            if (root >= 0)
                block(data, 0, world_root);

            call(how, clear, MPI_Gather, MPI_Igather, MPI_Gather_init, own.data(), count, MPI_INT, all.data(),
                 count, MPI_INT, root, g.inter);
            if (root == MPI_ROOT)
                for (int peer = 0; peer < g.others; ++peer)
                    block(all, peer, g.other(peer));
            call(how, clear, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, own.data(), count, MPI_INT,
                 all.data(), counts.data(), places.data(), MPI_INT, root, g.inter);
            if (root == MPI_ROOT)
                for (int peer = 0; peer < g.others; ++peer)
                    block(all, peer, g.other(peer));

            ints got(size_of(1));
            call(how, none, MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, wide.data(), count, MPI_INT,
                 got.data(), count, MPI_INT, root, g.inter);
            if (root >= 0)
                for (int i = 0; i < count; ++i)
                    CHECK_EQ(got[static_cast<std::size_t>(i)], value(world_root * 50 + g.world_rank, i));
            call(how, none, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, wide.data(), counts.data(),
                 places.data(), MPI_INT, got.data(), count, MPI_INT, root, g.inter);
            if (root >= 0)
                for (int i = 0; i < count; ++i)
                    CHECK_EQ(got[static_cast<std::size_t>(i)], value(world_root * 50 + g.world_rank, i));

            call(how, none, MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, own.data(), sum.data(), count, MPI_INT,
                 MPI_SUM, root, g.inter);
            if (root == MPI_ROOT)
                for (int i = 0; i < count; ++i)
                    CHECK_EQ(sum[static_cast<std::size_t>(i)], sum_of_group(!in_even, i));
        }
    }
}

/// Several collectives on several communicators are under way at once. Each rank begins them communicator by
/// communicator in an order of its own, and completes them in yet another.
void outstanding(int rank, int size) {
    constexpr int comms = 4, each = 6, length = 3000;
    std::vector<MPI_Comm> comm(comms);
    for (MPI_Comm &made : comm)
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &made));
    std::vector<std::vector<int>> in(comms * each), out(comms * each);
    std::vector<MPI_Request> requests(comms * each);
    for (int turn = 0; turn < comms; ++turn) {
        const int c = (turn + rank) % comms;
        for (int k = 0; k < each; ++k) {
            const auto slot = static_cast<std::size_t>(c * each + k);
            in[slot].assign(length, (rank + 1) * (static_cast<int>(slot) + 1));
            out[slot].assign(static_cast<std::size_t>(length * size), -1);
            if (k % 3 == 0)
                CHECK_MPI(MPI_Iallreduce(in[slot].data(), out[slot].data(), length, MPI_INT, MPI_SUM,
                                         comm[static_cast<std::size_t>(c)], &requests[slot]));
            else if (k % 3 == 1)
                CHECK_MPI(MPI_Iallgather(in[slot].data(), length, MPI_INT, out[slot].data(), length, MPI_INT,
                                         comm[static_cast<std::size_t>(c)], &requests[slot]));
            else
                CHECK_MPI(MPI_Iscan(in[slot].data(), out[slot].data(), length, MPI_INT, MPI_SUM,
                                    comm[static_cast<std::size_t>(c)], &requests[slot]));
        }
    }
    // A communicator may be given up while its operations are under way.
    for (MPI_Comm &made : comm)
        CHECK_MPI(MPI_Comm_free(&made));
    for (int done = 0; done < comms * each; ++done) {
        int index = MPI_UNDEFINED;
        if ((rank + done) % 2 == 0)
            CHECK_MPI(MPI_Waitany(comms * each, requests.data(), &index, MPI_STATUS_IGNORE));
        else
            for (index = comms * each - 1; requests[static_cast<std::size_t>(index)] == MPI_REQUEST_NULL;)
                --index;
        CHECK_MPI(MPI_Wait(&requests[static_cast<std::size_t>(index)], MPI_STATUS_IGNORE));
        const int number = index + 1, k = index % each;
        const auto &result = out[static_cast<std::size_t>(index)];
        for (int i = 0; i < length; ++i) {
            if (k % 3 == 0)
                CHECK_EQ(result[static_cast<std::size_t>(i)], number * size * (size + 1) / 2);
            else if (k % 3 == 2)
                CHECK_EQ(result[static_cast<std::size_t>(i)], number * (rank + 1) * (rank + 2) / 2);
            else
                CHECK_EQ(result[static_cast<std::size_t>((size - 1) * length + i)], number * size);
        }
    }
}

void wildcards(int rank, int size) {
    MPI_Request any[2];
    int caught[2] = {-1, -1};
    for (int i = 0; i < 2; ++i)
        CHECK_MPI(MPI_Irecv(&caught[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any[i]));
    for (int round = 0; round < 50; ++round) {
        int mine = rank, sum = 0;
        CHECK_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_EQ(sum, size * (size - 1) / 2);
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        int flag = 0;
        MPI_Status status;
        CHECK_MPI(MPI_Testall(2, any, &flag, MPI_STATUSES_IGNORE));
        CHECK_EQ(flag, 0);
        CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
        CHECK_EQ(flag, 0);
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 2; ++i)
        CHECK_MPI(MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Waitall(2, any, MPI_STATUSES_IGNORE));
    CHECK_EQ(caught[0], (rank + size - 1) % size);
    CHECK_EQ(caught[1], caught[0]);
}

/// Several persistent operations, started together.
void persistent(int rank, int size) {
    int mine = rank + 1, sum = 0, product = 0, first = 0;
    MPI_Request requests[3];
    CHECK_MPI(
        MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    CHECK_MPI(MPI_Allreduce_init(&mine, &product, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL,
                                 &requests[1]));
    CHECK_MPI(MPI_Bcast_init(&first, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]));
    for (int round = 0; round < 100; ++round) {
        mine = rank + round;
        first = rank == 0 ? round * 3 : -1;
        CHECK_MPI(MPI_Startall(3, requests));
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_MPI(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
        CHECK_EQ(sum, size * round + size * (size - 1) / 2);
        CHECK_EQ(product, size - 1 + round);
        CHECK_EQ(first, round * 3);
    }
    for (MPI_Request &request : requests)
        CHECK_MPI(MPI_Request_free(&request));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    if (job.size > 1)
        for (const form how : all_forms)
            for (const int count : {0, 1, 5, 9001})
                between_groups(how, count);
    for (int round = 0; round < 5; ++round)
        outstanding(job.rank, job.size);
    wildcards(job.rank, job.size);
    persistent(job.rank, job.size);
    return 0;
}
