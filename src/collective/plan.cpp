// SPDX-License-Identifier: Apache-2.0
#include "collective/plan.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "collective/allgather.hpp"
#include "collective/allreduce.hpp"
#include "collective/alltoall.hpp"
#include "collective/barrier.hpp"
#include "collective/bcast.hpp"
#include "collective/check.hpp"
#include "collective/direct.hpp"
#include "collective/gather.hpp"
#include "collective/on_board.hpp"
#include "collective/reduce.hpp"
#include "collective/reduce_scatter.hpp"
#include "collective/scan.hpp"
#include "collective/selection.hpp"
#include "collective/two_level.hpp"
#include "runtime/error.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"

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

/// The calling rank's own group with what it shares.
team team_of(const occasion &on) {
    team found = own_group(on.comm);
    found.shared = on.how == form::persistent || checking() ? nullptr : board::of(on.comm);
    return found;
}

/// The process of each rank, if they live in several, and several in some; otherwise nothing.
std::vector<int> places_of(const team &team) {
    job &job = this_rank().get_job();
    const job_segment &segment = job.segment();
    if (segment.processes() == 1 || segment.processes() == segment.ranks()) {
        return {};
    }
    std::vector<int> places;
    for (int rank = 0; rank < team.size; ++rank) {
        places.push_back(segment.process_of(team.channel->peers->member(rank)));
    }
    std::vector<int> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    const auto different = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
    return different > 1 && different < team.size ? places : std::vector<int>{};
}

/// An empty schedule that says what it is for. @param root unsaid if the call has none
schedule plan_of(const occasion &on, const char *call, std::int64_t root, std::int64_t bytes,
                 const op *reduction = nullptr) {
    schedule plan;
    if (checking()) [[unlikely]] {
        call_signature what;
        std::snprintf(what.call, sizeof what.call, "%s", call);
        if (reduction != nullptr) {
            std::snprintf(what.operation, sizeof what.operation, "%s",
                          reduction->predefined() ? reduction->name() : "a user's operation");
        }
        if (!on.comm.inter()) { // where groups have different parts, and roots other names
            what.root = root;
            what.bytes = bytes;
        }
        plan.describe(what);
    }
    return plan;
}

/// @param bytes,posted see situation
algorithm choose_for(operation what, const team &team, MPI_Count bytes, MPI_Count posted) {
    return choose({.what = what,
                   .bytes = bytes,
                   .posted = posted,
                   .ranks = team.size,
                   .board = team.shared != nullptr,
                   .one_process = team.shared != nullptr && team.shared->one_process(),
                   .two_levels = !places_of(team).empty()});
}

algorithm choose_for(operation what, const team &team, const op &reduction, const typed_buffer &vector) {
    return choose({.what = what,
                   .bytes = vector.bytes(),
                   .posted = vector.bytes(),
                   .ranks = team.size,
                   .board = team.shared != nullptr,
                   .one_process = team.shared != nullptr && team.shared->one_process(),
                   .commutative = reduction.commutative(),
                   .two_levels = !places_of(team).empty()});
}

} // namespace

schedule plan_barrier(const occasion &on) {
    schedule plan = plan_of(on, "Barrier", call_signature::unsaid, 0);
    if (on.comm.inter()) {
        barrier_between_groups(plan, own_group(on.comm), other_group(on.comm));
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(operation::barrier, team, 0, 0)) {
    case algorithm::board:
        board_barrier(plan, team);
        break;
    case algorithm::two_level:
        two_level_barrier(plan, {team, places_of(team), 0});
        break;
    case algorithm::linear:
        barrier_linear(plan, team);
        break;
    default:
        barrier_dissemination(plan, team);
    }
    return plan;
}

schedule plan_bcast(const occasion &on, const typed_buffer &buffer, int root) {
    schedule plan = plan_of(on, "Bcast", root, buffer.bytes());
    if (on.comm.inter()) {
        bcast_between_groups(plan, own_group(on.comm), other_group(on.comm), buffer, root);
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(operation::bcast, team, buffer.bytes(), buffer.bytes())) {
    case algorithm::board:
        board_bcast(plan, team, buffer, root);
        break;
    case algorithm::direct:
        direct_bcast(plan, team, buffer, root);
        break;
    case algorithm::two_level:
        two_level_bcast(plan, {team, places_of(team), root}, buffer);
        break;
    case algorithm::pipelined:
        bcast_pipelined(plan, team, buffer, root);
        break;
    case algorithm::scatter_allgather:
        bcast_scatter_allgather(plan, team, buffer, root);
        break;
    case algorithm::linear:
        bcast_linear(plan, team, buffer, root);
        break;
    default:
        bcast_binomial(plan, team, buffer, root);
    }
    return plan;
}

schedule plan_gather(const occasion &on, const own_buffer &own, const typed_buffer &block, int root) {
    const communicator &comm = on.comm;
    if (comm.inter()) {
        return plan_gatherv(
            on, own, root == MPI_ROOT ? equal_blocks(block, comm.peer_count()) : std::vector<typed_buffer>{},
            root);
    }
    schedule plan =
        plan_of(on, "Gather", root, (on.comm.rank() == root ? block : own.value_or(block)).bytes());
    const team team = team_of(on);
    const bool at_root = team.rank == root;
    const typed_buffer mine = own ? *own : block_of(block, team.rank);
    const MPI_Count bytes = at_root ? block.bytes() : mine.bytes();
    const auto blocks = [&] {
        return at_root ? equal_blocks(block, team.size) : std::vector<typed_buffer>{};
    };
    switch (choose_for(operation::gather, team, bytes, bytes)) {
    case algorithm::board:
        board_gather(plan, team, mine, blocks(), root);
        break;
    case algorithm::direct:
        direct_gather(plan, team, mine, blocks(), root);
        break;
    case algorithm::binomial:
        gather_binomial(plan, team, mine, at_root ? whole(block, team.size) : nothing(), root);
        break;
    default:
        gather_linear(plan, team, mine, blocks(), root);
    }
    return plan;
}

schedule plan_gatherv(const occasion &on, const own_buffer &own, std::span<const typed_buffer> blocks,
                      int root) {
    schedule plan = plan_of(on, "Gatherv", root, call_signature::unsaid);
    if (on.comm.inter()) {
        gather_between_groups(plan, other_group(on.comm), own.value_or(nothing()), blocks, root);
        return plan;
    }
    const team team = team_of(on);
    const typed_buffer &mine = own ? *own : block_of(blocks, root);
    if (choose_for(operation::gatherv, team, 0, 0) == algorithm::direct) {
        direct_gather(plan, team, mine, blocks, root);
    } else {
        gather_linear(plan, team, mine, blocks, root);
    }
    return plan;
}

schedule plan_scatter(const occasion &on, const typed_buffer &block, const own_buffer &own, int root) {
    const communicator &comm = on.comm;
    if (comm.inter()) {
        return plan_scatterv(
            on, root == MPI_ROOT ? equal_blocks(block, comm.peer_count()) : std::vector<typed_buffer>{}, own,
            root);
    }
    schedule plan =
        plan_of(on, "Scatter", root, (on.comm.rank() == root ? block : own.value_or(block)).bytes());
    const team team = team_of(on);
    const bool at_root = team.rank == root;
    const typed_buffer mine = own ? *own : block_of(block, team.rank);
    const MPI_Count bytes = at_root ? block.bytes() : mine.bytes();
    const auto blocks = [&] {
        return at_root ? equal_blocks(block, team.size) : std::vector<typed_buffer>{};
    };
    switch (choose_for(operation::scatter, team, bytes, team.size * bytes)) {
    case algorithm::board:
        board_scatter(plan, team, blocks(), mine, root);
        break;
    case algorithm::direct:
        direct_scatter(plan, team, blocks(), mine, root);
        break;
    case algorithm::binomial:
        scatter_binomial(plan, team, at_root ? whole(block, team.size) : nothing(), mine, root);
        break;
    default:
        scatter_linear(plan, team, blocks(), mine, root);
    }
    return plan;
}

schedule plan_scatterv(const occasion &on, std::span<const typed_buffer> blocks, const own_buffer &own,
                       int root) {
    schedule plan = plan_of(on, "Scatterv", root, call_signature::unsaid);
    if (on.comm.inter()) {
        scatter_between_groups(plan, other_group(on.comm), blocks, own.value_or(nothing()), root);
        return plan;
    }
    const team team = team_of(on);
    const typed_buffer &mine = own ? *own : block_of(blocks, root);
    if (choose_for(operation::scatterv, team, 0, 0) == algorithm::direct) {
        direct_scatter(plan, team, blocks, mine, root);
    } else {
        scatter_linear(plan, team, blocks, mine, root);
    }
    return plan;
}

schedule plan_allgather(const occasion &on, const own_buffer &own, const typed_buffer &block) {
    if (on.comm.inter()) {
        return plan_allgatherv(on, own, equal_blocks(block, on.comm.peer_count()));
    }
    schedule plan = plan_of(on, "Allgather", call_signature::unsaid, block.bytes());
    const team team = team_of(on);
    const typed_buffer mine = own ? *own : block_of(block, team.rank);
    const typed_buffer all = whole(block, team.size);
    switch (choose_for(operation::allgather, team, block.bytes(), block.bytes())) {
    case algorithm::board:
        board_allgather(plan, team, mine, equal_blocks(block, team.size));
        break;
    case algorithm::direct:
        direct_allgather(plan, team, mine, equal_blocks(block, team.size));
        break;
    case algorithm::bruck:
        allgather_bruck(plan, team, mine, all);
        break;
    case algorithm::recursive_doubling:
        allgather_recursive_doubling(plan, team, mine, all);
        break;
    default:
        allgather_ring(plan, team, mine, equal_blocks(block, team.size));
    }
    return plan;
}

schedule plan_allgatherv(const occasion &on, const own_buffer &own, std::span<const typed_buffer> blocks) {
    schedule plan = plan_of(on, "Allgatherv", call_signature::unsaid, call_signature::unsaid);
    if (on.comm.inter()) {
        const team other = other_group(on.comm);
        const std::vector<typed_buffer> same(static_cast<std::size_t>(other.size), own.value_or(nothing()));
        alltoall_pairwise(plan, other, on.comm.size(), same, blocks);
        return plan;
    }
    const team team = team_of(on);
    const typed_buffer &mine = own ? *own : block_of(blocks, team.rank);
    MPI_Count longest = 0;
    for (const typed_buffer &block : blocks) {
        longest = std::max(longest, block.bytes());
    }
    switch (choose_for(operation::allgatherv, team, longest, longest)) {
    case algorithm::board:
        board_allgather(plan, team, mine, blocks);
        break;
    case algorithm::direct:
        direct_allgather(plan, team, mine, blocks);
        break;
    default:
        allgather_ring(plan, team, mine, blocks);
    }
    return plan;
}

namespace {

schedule plan_exchange(const occasion &on, operation what, MPI_Count each,
                       std::optional<std::span<const typed_buffer>> send,
                       std::span<const typed_buffer> receive) {
    schedule plan =
        plan_of(on, what == operation::alltoall ? "Alltoall" : "Alltoallv or Alltoallw",
                call_signature::unsaid, what == operation::alltoall ? each : call_signature::unsaid);
    const team team = on.comm.inter() ? other_group(on.comm) : team_of(on);
    std::vector<typed_buffer> copies;
    if (!send) {
        copies = packed_copies(plan, team, receive);
        send = copies;
    }
    const algorithm chosen = choose_for(what, team, each, team.size * each);
    switch (chosen == algorithm::bruck && !team.member ? algorithm::pairwise : chosen) {
    case algorithm::board:
        board_alltoall(plan, team, *send, receive);
        break;
    case algorithm::direct:
        direct_alltoall(plan, team, *send, receive);
        break;
    case algorithm::bruck:
        alltoall_bruck(plan, team, *send, receive);
        break;
    case algorithm::linear:
        alltoall_linear(plan, team, on.comm.size(), *send, receive);
        break;
    default:
        alltoall_pairwise(plan, team, on.comm.size(), *send, receive);
    }
    return plan;
}

} // namespace

schedule plan_alltoall(const occasion &on, std::optional<std::span<const typed_buffer>> send,
                       std::span<const typed_buffer> receive) {
    return plan_exchange(on, operation::alltoall, receive.front().bytes(), send, receive);
}

schedule plan_alltoallv(const occasion &on, std::optional<std::span<const typed_buffer>> send,
                        std::span<const typed_buffer> receive) {
    return plan_exchange(on, operation::alltoallv, 0, send, receive);
}

schedule plan_no_part(const occasion &on, const char *call) {
    return plan_of(on, call, call_signature::unsaid, call_signature::unsaid);
}

schedule plan_reduce(const occasion &on, const own_buffer &send, const typed_buffer &receive,
                     const op &operation, int root) {
    operation.check(*receive.type);
    schedule plan = plan_of(on, "Reduce", root, receive.bytes(), &operation);
    const typed_buffer &mine = send ? *send : receive;
    if (on.comm.inter()) {
        reduce_between_groups(plan, own_group(on.comm), other_group(on.comm), operation, mine, receive, root);
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(collective::operation::reduce, team, operation, receive)) {
    case algorithm::board:
        board_reduce(plan, team, operation, mine, receive, root);
        break;
    case algorithm::direct:
        direct_reduce(plan, team, operation, mine, receive, root);
        break;
    case algorithm::two_level:
        two_level_reduce(plan, {team, places_of(team), root}, operation, mine, receive);
        break;
    case algorithm::reduce_scatter_allgather:
        reduce_reduce_scatter_gather(plan, team, operation, mine, receive, root);
        break;
    case algorithm::linear:
        reduce_linear(plan, team, operation, mine, receive, root);
        break;
    default:
        reduce_binomial(plan, team, operation, mine, receive, root);
    }
    return plan;
}

schedule plan_allreduce(const occasion &on, const own_buffer &send, const typed_buffer &receive,
                        const op &operation) {
    operation.check(*receive.type);
    schedule plan = plan_of(on, "Allreduce", call_signature::unsaid, receive.bytes(), &operation);
    const typed_buffer &mine = send ? *send : receive;
    if (on.comm.inter()) {
        allreduce_between_groups(plan, own_group(on.comm), other_group(on.comm), operation, mine, receive);
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(collective::operation::allreduce, team, operation, receive)) {
    case algorithm::board:
        board_allreduce(plan, team, operation, mine, receive);
        break;
    case algorithm::direct:
        direct_allreduce(plan, team, operation, mine, receive);
        break;
    case algorithm::two_level:
        two_level_allreduce(plan, {team, places_of(team), 0}, operation, mine, receive);
        break;
    case algorithm::reduce_scatter_allgather:
        allreduce_reduce_scatter_allgather(plan, team, operation, mine, receive);
        break;
    case algorithm::ring:
        allreduce_ring(plan, team, operation, mine, receive);
        break;
    case algorithm::reduce_bcast:
        allreduce_reduce_bcast(plan, team, operation, mine, receive);
        break;
    default:
        allreduce_recursive_doubling(plan, team, operation, mine, receive);
    }
    return plan;
}

schedule plan_reduce_scatter(const occasion &on, const own_buffer &send, const typed_buffer &receive,
                             std::span<const MPI_Count> counts, const op &operation) {
    operation.check(*receive.type);
    const auto rank = static_cast<std::size_t>(on.comm.rank());
    const MPI_Count total = std::accumulate(counts.begin(), counts.end(), MPI_Count{0});
    schedule plan =
        plan_of(on, "Reduce_scatter", call_signature::unsaid, total * receive.type->size(), &operation);
    const typed_buffer vector{send ? send->address : receive.address, total, *receive.type};
    const typed_buffer piece{receive.address, counts[rank], *receive.type};
    if (on.comm.inter()) {
        reduce_scatter_between_groups(plan, own_group(on.comm), other_group(on.comm), operation, vector,
                                      piece, counts);
        return plan;
    }
    const team team = team_of(on);
    const auto first = [&] {
        return std::accumulate(counts.begin(), counts.begin() + team.rank, MPI_Count{0});
    };
    switch (choose_for(collective::operation::reduce_scatter, team, operation, vector)) {
    case algorithm::board:
        board_reduce_scatter(plan, team, operation, vector, piece, first() * vector.type->size());
        break;
    case algorithm::direct:
        direct_reduce_scatter(plan, team, operation, vector, piece, first());
        break;
    case algorithm::recursive_halving:
        reduce_scatter_recursive_halving(plan, team, operation, vector, piece, counts);
        break;
    case algorithm::pairwise:
        reduce_scatter_pairwise(plan, team, operation, vector, piece, counts);
        break;
    default:
        reduce_scatter_by_root(plan, team, operation, vector, piece, counts);
    }
    return plan;
}

schedule plan_scan(const occasion &on, const own_buffer &send, const typed_buffer &receive,
                   const op &operation) {
    refuse_inter(on.comm, "a scan");
    operation.check(*receive.type);
    schedule plan = plan_of(on, "Scan", call_signature::unsaid, receive.bytes(), &operation);
    const typed_buffer &mine = send ? *send : receive;
    const team team = team_of(on);
    switch (choose_for(collective::operation::scan, team, operation, receive)) {
    case algorithm::board:
        board_scan(plan, team, operation, mine, receive);
        break;
    case algorithm::direct:
        direct_scan(plan, team, operation, mine, receive);
        break;
    case algorithm::linear:
        scan_linear(plan, team, operation, mine, receive);
        break;
    default:
        scan_doubling(plan, team, operation, mine, receive);
    }
    return plan;
}

schedule plan_exscan(const occasion &on, const own_buffer &send, const typed_buffer &receive,
                     const op &operation) {
    refuse_inter(on.comm, "an exclusive scan");
    operation.check(*receive.type);
    schedule plan = plan_of(on, "Exscan", call_signature::unsaid, receive.bytes(), &operation);
    const typed_buffer &mine = send ? *send : receive;
    const team team = team_of(on);
    switch (choose_for(collective::operation::exscan, team, operation, receive)) {
    case algorithm::board:
        board_exscan(plan, team, operation, mine, receive);
        break;
    case algorithm::direct:
        direct_exscan(plan, team, operation, mine, receive);
        break;
    case algorithm::linear:
        exscan_linear(plan, team, operation, mine, receive);
        break;
    default:
        exscan_doubling(plan, team, operation, mine, receive);
    }
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
