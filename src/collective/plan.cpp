// SPDX-License-Identifier: Apache-2.0
#include "collective/plan.hpp"

#include <numeric>

#include "collective/allgather.hpp"
#include "collective/allreduce.hpp"
#include "collective/alltoall.hpp"
#include "collective/barrier.hpp"
#include "collective/bcast.hpp"
#include "collective/gather.hpp"
#include "collective/reduce.hpp"
#include "collective/reduce_scatter.hpp"
#include "collective/scan.hpp"
#include "collective/selection.hpp"
#include "runtime/error.hpp"

namespace lisle::collective {

namespace {

/// All blocks of an array as one buffer.
typed_buffer whole(const typed_buffer &block, int ranks) noexcept {
    typed_buffer all = block;
    all.count *= ranks;
    return all;
}

typed_buffer block_of(const typed_buffer &block, int rank) noexcept {
    return part(block, rank * block.count, block.count);
}

const typed_buffer &block_of(std::span<const typed_buffer> blocks, int rank) noexcept {
    return blocks[static_cast<std::size_t>(rank)];
}

void refuse_inter(const communicator &comm, const char *what) {
    if (comm.inter()) {
        fail(MPI_ERR_COMM, what, " is not defined on inter-communicators");
    }
}

} // namespace

schedule plan_barrier(const communicator &comm) {
    schedule plan;
    if (comm.inter()) {
        barrier_between_groups(plan, own_group(comm), other_group(comm));
    } else if (choose_barrier() == barrier_algorithm::linear) {
        barrier_linear(plan, own_group(comm));
    } else {
        barrier_dissemination(plan, own_group(comm));
    }
    return plan;
}

schedule plan_bcast(const communicator &comm, const typed_buffer &buffer, int root) {
    schedule plan;
    if (comm.inter()) {
        bcast_between_groups(plan, own_group(comm), other_group(comm), buffer, root);
    } else if (choose_bcast() == bcast_algorithm::linear) {
        bcast_linear(plan, own_group(comm), buffer, root);
    } else {
        bcast_binomial(plan, own_group(comm), buffer, root);
    }
    return plan;
}

schedule plan_gather(const communicator &comm, const own_buffer &own, const typed_buffer &block, int root) {
    if (comm.inter()) {
        return plan_gatherv(
            comm, own,
            root == MPI_ROOT ? equal_blocks(block, comm.peer_count()) : std::vector<typed_buffer>{}, root);
    }
    schedule plan;
    const team team = own_group(comm);
    const bool at_root = team.rank == root;
    const typed_buffer mine = own ? *own : block_of(block, team.rank);
    const MPI_Count bytes = at_root ? block.bytes() : mine.bytes();
    if (choose_gather(team.size, bytes) == gather_algorithm::binomial) {
        gather_binomial(plan, team, mine, at_root ? whole(block, team.size) : nothing(), root);
    } else {
        gather_linear(plan, team, mine,
                      at_root ? equal_blocks(block, team.size) : std::vector<typed_buffer>{}, root);
    }
    return plan;
}

schedule plan_gatherv(const communicator &comm, const own_buffer &own, std::span<const typed_buffer> blocks,
                      int root) {
    schedule plan;
    if (comm.inter()) {
        gather_between_groups(plan, other_group(comm), own.value_or(nothing()), blocks, root);
    } else {
        gather_linear(plan, own_group(comm), own ? *own : block_of(blocks, root), blocks, root);
    }
    return plan;
}

schedule plan_scatter(const communicator &comm, const typed_buffer &block, const own_buffer &own, int root) {
    if (comm.inter()) {
        return plan_scatterv(
            comm, root == MPI_ROOT ? equal_blocks(block, comm.peer_count()) : std::vector<typed_buffer>{},
            own, root);
    }
    schedule plan;
    const team team = own_group(comm);
    const bool at_root = team.rank == root;
    const typed_buffer mine = own ? *own : block_of(block, team.rank);
    const MPI_Count bytes = at_root ? block.bytes() : mine.bytes();
    if (choose_scatter(team.size, bytes) == scatter_algorithm::binomial) {
        scatter_binomial(plan, team, at_root ? whole(block, team.size) : nothing(), mine, root);
    } else {
        scatter_linear(plan, team, at_root ? equal_blocks(block, team.size) : std::vector<typed_buffer>{},
                       mine, root);
    }
    return plan;
}

schedule plan_scatterv(const communicator &comm, std::span<const typed_buffer> blocks, const own_buffer &own,
                       int root) {
    schedule plan;
    if (comm.inter()) {
        scatter_between_groups(plan, other_group(comm), blocks, own.value_or(nothing()), root);
    } else {
        scatter_linear(plan, own_group(comm), blocks, own ? *own : block_of(blocks, root), root);
    }
    return plan;
}

schedule plan_allgather(const communicator &comm, const own_buffer &own, const typed_buffer &block) {
    if (comm.inter()) {
        return plan_allgatherv(comm, own, equal_blocks(block, comm.peer_count()));
    }
    schedule plan;
    const team team = own_group(comm);
    const typed_buffer mine = own ? *own : block_of(block, team.rank);
    const typed_buffer all = whole(block, team.size);
    switch (choose_allgather(team.size, all.bytes())) {
    case allgather_algorithm::bruck:
        allgather_bruck(plan, team, mine, all);
        break;
    case allgather_algorithm::recursive_doubling:
        allgather_recursive_doubling(plan, team, mine, all);
        break;
    case allgather_algorithm::ring:
        allgather_ring(plan, team, mine, equal_blocks(block, team.size));
        break;
    }
    return plan;
}

schedule plan_allgatherv(const communicator &comm, const own_buffer &own,
                         std::span<const typed_buffer> blocks) {
    schedule plan;
    if (comm.inter()) {
        const team other = other_group(comm);
        const std::vector<typed_buffer> same(static_cast<std::size_t>(other.size), own.value_or(nothing()));
        alltoall_pairwise(plan, other, comm.size(), same, blocks);
    } else {
        allgather_ring(plan, own_group(comm), own ? *own : block_of(blocks, comm.rank()), blocks);
    }
    return plan;
}

schedule plan_alltoall(const communicator &comm, std::optional<std::span<const typed_buffer>> send,
                       std::span<const typed_buffer> receive) {
    schedule plan;
    const team team = comm.inter() ? other_group(comm) : own_group(comm);
    std::vector<typed_buffer> copies;
    if (!send) {
        copies = packed_copies(plan, team, receive);
        send = copies;
    }
    if (choose_alltoall(team.size) == alltoall_algorithm::linear) {
        alltoall_linear(plan, team, comm.size(), *send, receive);
    } else {
        alltoall_pairwise(plan, team, comm.size(), *send, receive);
    }
    return plan;
}

schedule plan_reduce(const communicator &comm, const own_buffer &send, const typed_buffer &receive,
                     const op &operation, int root) {
    operation.check(*receive.type);
    schedule plan;
    const typed_buffer &mine = send ? *send : receive;
    if (comm.inter()) {
        reduce_between_groups(plan, own_group(comm), other_group(comm), operation, mine, receive, root);
    } else if (choose_reduce() == reduce_algorithm::linear) {
        reduce_linear(plan, own_group(comm), operation, mine, receive, root);
    } else {
        reduce_binomial(plan, own_group(comm), operation, mine, receive, root);
    }
    return plan;
}

schedule plan_allreduce(const communicator &comm, const own_buffer &send, const typed_buffer &receive,
                        const op &operation) {
    operation.check(*receive.type);
    schedule plan;
    const typed_buffer &mine = send ? *send : receive;
    const team team = own_group(comm);
    if (comm.inter()) {
        allreduce_between_groups(plan, team, other_group(comm), operation, mine, receive);
    } else if (choose_allreduce(team.size, receive.bytes()) == allreduce_algorithm::reduce_bcast) {
        allreduce_reduce_bcast(plan, team, operation, mine, receive);
    } else {
        allreduce_recursive_doubling(plan, team, operation, mine, receive);
    }
    return plan;
}

schedule plan_reduce_scatter(const communicator &comm, const own_buffer &send, const typed_buffer &receive,
                             std::span<const MPI_Count> counts, const op &operation) {
    operation.check(*receive.type);
    schedule plan;
    const team team = own_group(comm);
    const MPI_Count total = std::accumulate(counts.begin(), counts.end(), MPI_Count{0});
    const typed_buffer vector{send ? send->address : receive.address, total, *receive.type};
    const typed_buffer piece{receive.address, counts[static_cast<std::size_t>(team.rank)], *receive.type};
    if (comm.inter()) {
        reduce_scatter_between_groups(plan, team, other_group(comm), operation, vector, piece, counts);
    } else if (choose_reduce_scatter(vector.bytes(), operation.commutative()) ==
               reduce_scatter_algorithm::pairwise) {
        reduce_scatter_pairwise(plan, team, operation, vector, piece, counts);
    } else {
        reduce_scatter_by_root(plan, team, operation, vector, piece, counts);
    }
    return plan;
}

schedule plan_scan(const communicator &comm, const own_buffer &send, const typed_buffer &receive,
                   const op &operation) {
    refuse_inter(comm, "a scan");
    operation.check(*receive.type);
    schedule plan;
    const typed_buffer &mine = send ? *send : receive;
    if (choose_scan() == scan_algorithm::linear) {
        scan_linear(plan, own_group(comm), operation, mine, receive);
    } else {
        scan_doubling(plan, own_group(comm), operation, mine, receive);
    }
    return plan;
}

schedule plan_exscan(const communicator &comm, const own_buffer &send, const typed_buffer &receive,
                     const op &operation) {
    refuse_inter(comm, "an exclusive scan");
    operation.check(*receive.type);
    schedule plan;
    exscan_doubling(plan, own_group(comm), operation, send ? *send : receive, receive);
    return plan;
}

std::vector<typed_buffer> equal_blocks(const typed_buffer &block, int ranks) {
    std::vector<typed_buffer> blocks;
    blocks.reserve(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        blocks.push_back(block_of(block, rank));
    }
    return blocks;
}

} // namespace lisle::collective
