// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "collective/algorithms/allgather.hpp"
#include "collective/algorithms/alltoall.hpp"
#include "collective/algorithms/barrier.hpp"
#include "collective/algorithms/bcast.hpp"
#include "collective/node/direct.hpp"
#include "collective/algorithms/gather.hpp"
#include "collective/node/on_board.hpp"
#include "collective/node/pair.hpp"
#include "collective/schedule/plan.hpp"
#include "collective/schedule/planning.hpp"
#include "collective/algorithms/two_level.hpp"

namespace lisle::collective {

namespace {

/// What is for, or from, the other one of two ranks; of more ranks anything.
MPI_Count bytes_of_other(const occasion &on, const block_view &blocks) noexcept {
    return on.comm.size() == 2 && blocks.size() == 2 ? blocks[1 - on.comm.rank()].bytes() : 0;
}

} // namespace

schedule plan_barrier(const occasion &on) {
    schedule plan = plan_of(on, "Barrier", call_signature::unsaid, 0);
    if (pair two{on, operation::barrier, 0}) {
        const block_view none = block_view::repeated(nothing(), 2);
        two.exchange(plan, none, none);
        return plan;
    }
    if (on.comm.inter()) {
        barrier_between_groups(plan, own_group(on.comm), other_group(on.comm));
        return plan;
    }
    if (is_alone(on)) {
        use_copy(plan, on, {}, nothing());
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(team, operation::barrier, 0, 0)) {
    case algorithm::board:
        use_board(plan, on, team, [&](auto &steps) { board_barrier(steps, team); });
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
    if (pair two{on, operation::bcast, buffer.bytes()}) {
        two.scatter(plan, on.comm.rank() == root ? block_view::repeated(buffer, 2) : block_view{}, buffer);
        return plan;
    }
    if (on.comm.inter()) {
        bcast_between_groups(plan, own_group(on.comm), other_group(on.comm), buffer, root);
        return plan;
    }
    if (is_alone(on)) {
        use_copy(plan, on, {}, buffer);
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(team, operation::bcast, buffer.bytes(), buffer.bytes())) {
    case algorithm::meeting: {
        const block_view all = block_view::repeated(buffer, team.size);
        const bool gives = team.rank == root;
        use_meeting(plan, on, gives ? all : block_view{}, gives ? block_view{} : all, root);
        break;
    }
    case algorithm::board:
        use_board(plan, on, team, [&](auto &steps) { board_bcast(steps, team, buffer, root); });
        break;
    case algorithm::direct:
        use_board(plan, on, team, [&](auto &steps) { direct_bcast(steps, team, buffer, root); });
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
        return plan_gatherv(on, own, root == MPI_ROOT ? block_view{block, comm.peer_count()} : block_view{},
                            root);
    }
    const bool at_root = comm.rank() == root;
    const typed_buffer mine = own ? *own : block_of(block, comm.rank());
    const MPI_Count bytes = at_root ? block.bytes() : mine.bytes();
    schedule plan = plan_of(on, "Gather", root, bytes);
    if (pair two{on, operation::gather, bytes}) {
        two.gather(plan, mine, at_root ? block_view{block, 2} : block_view{});
        return plan;
    }
    if (is_alone(on)) {
        use_copy(plan, on, own, block);
        return plan;
    }
    const team team = team_of(on);
    const block_view blocks = at_root ? block_view{block, team.size} : block_view{};
    switch (choose_for(team, operation::gather, bytes, bytes)) {
    case algorithm::meeting:
        use_meeting(plan, on, block_view::repeated(mine, team.size), blocks, root);
        break;
    case algorithm::board:
        use_board(plan, on, team, [&](auto &steps) { board_gather(steps, team, mine, blocks, root); });
        break;
    case algorithm::direct:
        use_board(plan, on, team, [&](auto &steps) { direct_gather(steps, team, mine, blocks, root); });
        break;
    case algorithm::binomial:
        gather_binomial(plan, team, mine, at_root ? whole(block, team.size) : nothing(), root);
        break;
    default:
        gather_linear(plan, team, mine, blocks, root);
    }
    return plan;
}

schedule plan_gatherv(const occasion &on, const own_buffer &own, const block_view &blocks, int root) {
    schedule plan = plan_of(on, "Gatherv", root, call_signature::unsaid);
    if (on.comm.inter()) {
        gather_between_groups(plan, other_group(on.comm), own.value_or(nothing()), blocks, root);
        return plan;
    }
    const typed_buffer mine = own ? *own : blocks[root];
    const bool at_root = on.comm.rank() == root;
    if (pair two{on, operation::gatherv, at_root ? bytes_of_other(on, blocks) : mine.bytes()}) {
        two.gather(plan, mine, blocks);
        return plan;
    }
    if (is_alone(on)) {
        use_copy(plan, on, own, blocks[0]);
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(team, operation::gatherv, 0, 0)) {
    case algorithm::meeting:
        use_meeting(plan, on, block_view::repeated(mine, team.size), blocks, root);
        break;
    case algorithm::direct:
        use_board(plan, on, team, [&](auto &steps) { direct_gather(steps, team, mine, blocks, root); });
        break;
    default:
        gather_linear(plan, team, mine, blocks, root);
    }
    return plan;
}

schedule plan_scatter(const occasion &on, const typed_buffer &block, const own_buffer &own, int root) {
    const communicator &comm = on.comm;
    if (comm.inter()) {
        return plan_scatterv(on, root == MPI_ROOT ? block_view{block, comm.peer_count()} : block_view{}, own,
                             root);
    }
    const bool at_root = comm.rank() == root;
    const typed_buffer mine = own ? *own : block_of(block, comm.rank());
    const MPI_Count bytes = at_root ? block.bytes() : mine.bytes();
    schedule plan = plan_of(on, "Scatter", root, bytes);
    if (pair two{on, operation::scatter, bytes}) {
        two.scatter(plan, at_root ? block_view{block, 2} : block_view{}, mine);
        return plan;
    }
    if (is_alone(on)) {
        use_copy(plan, on, own ? own_buffer{block} : own_buffer{}, own.value_or(block));
        return plan;
    }
    const team team = team_of(on);
    const block_view blocks = at_root ? block_view{block, team.size} : block_view{};
    switch (choose_for(team, operation::scatter, bytes, (team.size - 1) * bytes)) {
    case algorithm::meeting:
        use_meeting(plan, on, blocks, block_view::repeated(mine, team.size), root);
        break;
    case algorithm::board:
        use_board(plan, on, team, [&](auto &steps) { board_scatter(steps, team, blocks, mine, root); });
        break;
    case algorithm::direct:
        use_board(plan, on, team, [&](auto &steps) { direct_scatter(steps, team, blocks, mine, root); });
        break;
    case algorithm::binomial:
        scatter_binomial(plan, team, at_root ? whole(block, team.size) : nothing(), mine, root);
        break;
    default:
        scatter_linear(plan, team, blocks, mine, root);
    }
    return plan;
}

schedule plan_scatterv(const occasion &on, const block_view &blocks, const own_buffer &own, int root) {
    schedule plan = plan_of(on, "Scatterv", root, call_signature::unsaid);
    if (on.comm.inter()) {
        scatter_between_groups(plan, other_group(on.comm), blocks, own.value_or(nothing()), root);
        return plan;
    }
    const typed_buffer mine = own ? *own : blocks[root];
    const bool at_root = on.comm.rank() == root;
    if (pair two{on, operation::scatterv, at_root ? bytes_of_other(on, blocks) : mine.bytes()}) {
        two.scatter(plan, blocks, mine);
        return plan;
    }
    if (is_alone(on)) {
        use_copy(plan, on, own ? own_buffer{blocks[0]} : own_buffer{}, own.value_or(blocks[0]));
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(team, operation::scatterv, 0, 0)) {
    case algorithm::meeting:
        use_meeting(plan, on, blocks, block_view::repeated(mine, team.size), root);
        break;
    case algorithm::direct:
        use_board(plan, on, team, [&](auto &steps) { direct_scatter(steps, team, blocks, mine, root); });
        break;
    default:
        scatter_linear(plan, team, blocks, mine, root);
    }
    return plan;
}

schedule plan_allgather(const occasion &on, const own_buffer &own, const typed_buffer &block) {
    if (on.comm.inter()) {
        return plan_allgatherv(on, own, {block, on.comm.peer_count()});
    }
    const typed_buffer mine = own ? *own : block_of(block, on.comm.rank());
    schedule plan = plan_of(on, "Allgather", call_signature::unsaid, own.value_or(block).bytes());
    if (pair two{on, operation::allgather, block.bytes()}) {
        two.exchange(plan, block_view::repeated(mine, 2), {block, 2});
        return plan;
    }
    if (is_alone(on)) {
        use_copy(plan, on, own, block);
        return plan;
    }
    const team team = team_of(on);
    const typed_buffer all = whole(block, team.size);
    switch (choose_for(team, operation::allgather, block.bytes(), block.bytes())) {
    case algorithm::meeting:
        use_meeting(plan, on, block_view::repeated(mine, team.size), {block, team.size}, board::everyone);
        break;
    case algorithm::board:
        use_board(plan, on, team, [&](auto &steps) {
            board_allgather(steps, team, mine, block_view{block, team.size});
        });
        break;
    case algorithm::direct:
        use_board(plan, on, team, [&](auto &steps) {
            direct_allgather(steps, team, mine, block_view{block, team.size});
        });
        break;
    case algorithm::bruck:
        allgather_bruck(plan, team, mine, all);
        break;
    case algorithm::recursive_doubling:
        allgather_recursive_doubling(plan, team, mine, all);
        break;
    default:
        allgather_ring(plan, team, mine, block_view{block, team.size});
    }
    return plan;
}

schedule plan_allgatherv(const occasion &on, const own_buffer &own, const block_view &blocks) {
    schedule plan = plan_of(on, "Allgatherv", call_signature::unsaid, call_signature::unsaid);
    if (on.comm.inter()) {
        const team other = other_group(on.comm);
        alltoall_pairwise(plan, other, on.comm.size(),
                          block_view::repeated(own.value_or(nothing()), other.size), blocks);
        return plan;
    }
    const typed_buffer mine = own ? *own : blocks[on.comm.rank()];
    MPI_Count longest = 0;
    for (int rank = 0; rank < blocks.size(); ++rank) {
        longest = std::max(longest, blocks[rank].bytes());
    }
    if (pair two{on, operation::allgatherv, longest}) {
        two.exchange(plan, block_view::repeated(mine, 2), blocks);
        return plan;
    }
    if (is_alone(on)) {
        use_copy(plan, on, own, blocks[0]);
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(team, operation::allgatherv, longest, longest)) {
    case algorithm::meeting:
        use_meeting(plan, on, block_view::repeated(mine, team.size), blocks, board::everyone);
        break;
    case algorithm::board:
        use_board(plan, on, team, [&](auto &steps) { board_allgather(steps, team, mine, blocks); });
        break;
    case algorithm::direct:
        use_board(plan, on, team, [&](auto &steps) { direct_allgather(steps, team, mine, blocks); });
        break;
    default:
        allgather_ring(plan, team, mine, blocks);
    }
    return plan;
}

namespace {

schedule plan_exchange(const occasion &on, operation what, MPI_Count each,
                       const std::optional<block_view> &send, const block_view &receive) {
    schedule plan =
        plan_of(on, what == operation::alltoall ? "Alltoall" : "Alltoallv or Alltoallw",
                call_signature::unsaid, what == operation::alltoall ? each : call_signature::unsaid);
    if (is_alone(on)) {
        use_copy(plan, on, send ? own_buffer{(*send)[0]} : own_buffer{}, receive[0]);
        return plan;
    }
    const block_view &given = send ? *send : receive;
    const MPI_Count bytes = std::max(bytes_of_other(on, given), bytes_of_other(on, receive));
    if (pair two{on, what, bytes}) {
        two.exchange(plan, given, receive);
        return plan;
    }
    const team team = on.comm.inter() ? other_group(on.comm) : team_of(on);
    const algorithm chosen = choose_for(team, what, each, team.size * each);
    if (chosen == algorithm::meeting) {
        own_copies copies;
        const auto kept = send ? std::vector<typed_buffer>{} : packed_copies(copies, team, receive);
        use_meeting(plan, on, send ? *send : block_view{kept}, receive, board::everyone);
        return plan;
    }
    if (chosen == algorithm::board || chosen == algorithm::direct) {
        use_board(plan, on, team, [&](auto &steps) {
            const auto kept = send ? std::vector<typed_buffer>{} : packed_copies(steps, team, receive);
            const block_view from = send ? *send : block_view{kept};
            if (chosen == algorithm::board) {
                board_alltoall(steps, team, from, receive);
            } else {
                direct_alltoall(steps, team, from, receive);
            }
        });
        return plan;
    }
    const auto kept = send ? std::vector<typed_buffer>{} : packed_copies(plan, team, receive);
    const block_view from = send ? *send : block_view{kept};
    switch (chosen == algorithm::bruck && !team.member ? algorithm::pairwise : chosen) {
    case algorithm::bruck:
        alltoall_bruck(plan, team, from, receive);
        break;
    case algorithm::linear:
        alltoall_linear(plan, team, on.comm.size(), from, receive);
        break;
    default:
        alltoall_pairwise(plan, team, on.comm.size(), from, receive);
    }
    return plan;
}

} // namespace

schedule plan_alltoall(const occasion &on, const own_buffer &send, const typed_buffer &receive) {
    const int peers = on.comm.peer_count();
    return plan_exchange(on, operation::alltoall, receive.bytes(),
                         send ? std::optional{block_view{*send, peers}} : std::nullopt, {receive, peers});
}

schedule plan_alltoallv(const occasion &on, const std::optional<block_view> &send,
                        const block_view &receive) {
    return plan_exchange(on, operation::alltoallv, 0, send, receive);
}

} // namespace lisle::collective
