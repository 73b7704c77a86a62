// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "collective/algorithms/allgather.hpp"
#include "collective/algorithms/alltoall.hpp"
#include "collective/algorithms/barrier.hpp"
#include "collective/algorithms/bcast.hpp"
#include "collective/algorithms/by_fabric.hpp"
#include "collective/algorithms/gather.hpp"
#include "collective/algorithms/two_level.hpp"
#include "collective/node/single_copy.hpp"
#include "collective/node/slot_algorithms.hpp"
#include "collective/schedule/plan.hpp"
#include "collective/schedule/planning.hpp"

namespace lisle::collective {

namespace {

/// What is for, or from, the other one of two ranks; of more ranks anything.
MPI_Count bytes_of_other(const collective_call &call, const block_view &blocks) noexcept {
    return call.comm.size() == 2 && blocks.size() == 2 ? blocks[1 - call.comm.rank()].bytes() : 0;
}

} // namespace

schedule plan_barrier(const collective_call &call) {
    if (comparing() && call.how == form::blocking && !call.comm.inter()) {
        static const call_signature same =
            signature_of(form::blocking, "Barrier", nullptr, call_signature::unsaid, 0);
        compare_calls(call.comm, same); // after that all have called
        schedule done;
        done.note_done();
        return done;
    }
    schedule plan = plan_of(call, "Barrier", call_signature::unsaid, 0);
    const algorithm use = select(call, operation::barrier, {});
    if (use == algorithm::pair) { // which needs no team
        use_pair(plan, call, operation::barrier, 0).meet();
        return plan;
    }
    const team team = team_of(call);
    switch (use) {
    case algorithm::between_groups:
        barrier_between_groups(plan, own_group(call.comm), other_group(call.comm));
        break;
    case algorithm::copy:
        use_copy(plan, call, {}, nothing());
        break;
    case algorithm::shared_memory:
        use_area(plan, call, team, [&](auto &steps) { slot_barrier(steps, team); });
        break;
    case algorithm::two_level:
        two_level_barrier(plan, levels_of(call));
        break;
    case algorithm::linear:
        barrier_linear(plan, team);
        break;
    default:
        barrier_dissemination(plan, team);
    }
    return plan;
}

schedule plan_bcast(const collective_call &call, const typed_buffer &buffer, int root) {
    const MPI_Count bytes = buffer.bytes();
    schedule plan = plan_of(call, "Bcast", root, bytes);
    say_elements(plan, buffer);
    const algorithm use = select(call, operation::bcast, of_blocks(bytes, bytes, bytes));
    const team team = team_of(call);
    switch (use) {
    case algorithm::pair:
        use_pair(plan, call, operation::bcast, bytes)
            .scatter(team.rank == root ? block_view::repeated(buffer, 2) : block_view{}, buffer);
        break;
    case algorithm::between_groups:
        bcast_between_groups(plan, own_group(call.comm), other_group(call.comm), buffer, root);
        break;
    case algorithm::copy:
        use_copy(plan, call, {}, buffer);
        break;
    case algorithm::in_process: {
        const block_view all = block_view::repeated(buffer, team.size);
        const bool gives = team.rank == root;
        use_in_process(plan, call, gives ? all : block_view{}, gives ? block_view{} : all, root);
        break;
    }
    case algorithm::shared_memory:
        use_area(plan, call, team, [&](auto &steps) { slot_bcast(steps, team, buffer, root); });
        break;
    case algorithm::single_copy:
        use_area(plan, call, team, [&](auto &steps) { single_copy_bcast(steps, team, buffer, root); });
        break;
    case algorithm::two_level:
        two_level_bcast(plan, levels_of(call, root), buffer);
        break;
    case algorithm::mesh:
        collectives_of_fabric(call.comm)->bcast(steps_of_schedule{plan}, team, buffer, root);
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

schedule plan_gather(const collective_call &call, const own_buffer &own, const typed_buffer &block,
                     int root) {
    const communicator &comm = call.comm;
    if (comm.inter()) {
        return plan_gatherv(call, own, root == MPI_ROOT ? block_view{block, comm.peer_count()} : block_view{},
                            root);
    }
    const bool at_root = comm.rank() == root;
    const typed_buffer mine = own ? *own : block_of(block, comm.rank());
    const MPI_Count bytes = at_root ? block.bytes() : mine.bytes();
    schedule plan = plan_of(call, "Gather", root, bytes);
    say_elements(plan, at_root ? block : mine);
    const algorithm use = select(call, operation::gather, of_blocks(bytes, bytes, bytes));
    const team team = team_of(call);
    const block_view blocks = at_root ? block_view{block, team.size} : block_view{};
    switch (use) {
    case algorithm::pair:
        use_pair(plan, call, operation::gather, bytes).gather(mine, blocks);
        break;
    case algorithm::copy:
        use_copy(plan, call, own, block);
        break;
    case algorithm::in_process:
        use_in_process(plan, call, block_view::repeated(mine, team.size), blocks, root);
        break;
    case algorithm::shared_memory:
        use_area(plan, call, team, [&](auto &steps) { slot_gather(steps, team, mine, blocks, root); });
        break;
    case algorithm::single_copy:
        use_area(plan, call, team, [&](auto &steps) { single_copy_gather(steps, team, mine, blocks, root); });
        break;
    case algorithm::two_level:
        two_level_gather(plan, levels_of(call, root), mine, blocks);
        break;
    case algorithm::binomial:
        gather_binomial(plan, team, mine, at_root ? whole(block, team.size) : nothing(), root);
        break;
    default:
        gather_linear(plan, team, mine, blocks, root);
    }
    return plan;
}

schedule plan_gatherv(const collective_call &call, const own_buffer &own, const block_view &blocks,
                      int root) {
    schedule plan = plan_of(call, "Gatherv", root, call_signature::unsaid);
    if (call.comm.inter()) {
        gather_between_groups(plan, other_group(call.comm), own.value_or(nothing()), blocks, root);
        return plan;
    }
    const typed_buffer mine = own ? *own : blocks[root];
    say_elements_if_any(plan, mine);
    const bool at_root = call.comm.rank() == root;
    const MPI_Count for_other = at_root ? bytes_of_other(call, blocks) : mine.bytes();
    const algorithm use = select(call, operation::gatherv, of_blocks(0, 0, for_other));
    const team team = team_of(call);
    switch (use) {
    case algorithm::pair:
        use_pair(plan, call, operation::gatherv, for_other).gather(mine, blocks);
        break;
    case algorithm::copy:
        use_copy(plan, call, own, blocks[0]);
        break;
    case algorithm::in_process:
        use_in_process(plan, call, block_view::repeated(mine, team.size), blocks, root);
        break;
    case algorithm::single_copy:
        use_area(plan, call, team, [&](auto &steps) { single_copy_gather(steps, team, mine, blocks, root); });
        break;
    default:
        gather_linear(plan, team, mine, blocks, root);
    }
    return plan;
}

schedule plan_scatter(const collective_call &call, const typed_buffer &block, const own_buffer &own,
                      int root) {
    const communicator &comm = call.comm;
    if (comm.inter()) {
        return plan_scatterv(call, root == MPI_ROOT ? block_view{block, comm.peer_count()} : block_view{},
                             own, root);
    }
    const bool at_root = comm.rank() == root;
    const typed_buffer mine = own ? *own : block_of(block, comm.rank());
    const MPI_Count bytes = at_root ? block.bytes() : mine.bytes();
    schedule plan = plan_of(call, "Scatter", root, bytes);
    say_elements(plan, at_root ? block : mine);
    const algorithm use =
        select(call, operation::scatter, of_blocks(bytes, (comm.size() - 1) * bytes, bytes));
    const team team = team_of(call);
    const block_view blocks = at_root ? block_view{block, team.size} : block_view{};
    switch (use) {
    case algorithm::pair:
        use_pair(plan, call, operation::scatter, bytes).scatter(blocks, mine);
        break;
    case algorithm::copy:
        use_copy(plan, call, own ? own_buffer{block} : own_buffer{}, own.value_or(block));
        break;
    case algorithm::in_process:
        use_in_process(plan, call, blocks, block_view::repeated(mine, team.size), root);
        break;
    case algorithm::shared_memory:
        use_area(plan, call, team, [&](auto &steps) { slot_scatter(steps, team, blocks, mine, root); });
        break;
    case algorithm::single_copy:
        use_area(plan, call, team,
                 [&](auto &steps) { single_copy_scatter(steps, team, blocks, mine, root); });
        break;
    case algorithm::two_level:
        two_level_scatter(plan, levels_of(call, root), blocks, mine);
        break;
    case algorithm::binomial:
        scatter_binomial(plan, team, at_root ? whole(block, team.size) : nothing(), mine, root);
        break;
    default:
        scatter_linear(plan, team, blocks, mine, root);
    }
    return plan;
}

schedule plan_scatterv(const collective_call &call, const block_view &blocks, const own_buffer &own,
                       int root) {
    schedule plan = plan_of(call, "Scatterv", root, call_signature::unsaid);
    if (call.comm.inter()) {
        scatter_between_groups(plan, other_group(call.comm), blocks, own.value_or(nothing()), root);
        return plan;
    }
    const typed_buffer mine = own ? *own : blocks[root];
    say_elements_if_any(plan, mine);
    const bool at_root = call.comm.rank() == root;
    const MPI_Count for_other = at_root ? bytes_of_other(call, blocks) : mine.bytes();
    const algorithm use = select(call, operation::scatterv, of_blocks(0, 0, for_other));
    const team team = team_of(call);
    switch (use) {
    case algorithm::pair:
        use_pair(plan, call, operation::scatterv, for_other).scatter(blocks, mine);
        break;
    case algorithm::copy:
        use_copy(plan, call, own ? own_buffer{blocks[0]} : own_buffer{}, own.value_or(blocks[0]));
        break;
    case algorithm::in_process:
        use_in_process(plan, call, blocks, block_view::repeated(mine, team.size), root);
        break;
    case algorithm::single_copy:
        use_area(plan, call, team,
                 [&](auto &steps) { single_copy_scatter(steps, team, blocks, mine, root); });
        break;
    default:
        scatter_linear(plan, team, blocks, mine, root);
    }
    return plan;
}

schedule plan_allgather(const collective_call &call, const own_buffer &own, const typed_buffer &block) {
    if (call.comm.inter()) {
        return plan_allgatherv(call, own, {block, call.comm.peer_count()});
    }
    const typed_buffer mine = own ? *own : block_of(block, call.comm.rank());
    const MPI_Count bytes = block.bytes();
    schedule plan = plan_of(call, "Allgather", call_signature::unsaid, own.value_or(block).bytes());
    say_elements(plan, own.value_or(block));
    const algorithm use = select(call, operation::allgather, of_blocks(bytes, bytes, bytes));
    const team team = team_of(call);
    const block_view blocks{block, team.size};
    const typed_buffer all = whole(block, team.size);
    switch (use) {
    case algorithm::pair:
        use_pair(plan, call, operation::allgather, bytes).exchange(block_view::repeated(mine, 2), blocks);
        break;
    case algorithm::copy:
        use_copy(plan, call, own, block);
        break;
    case algorithm::in_process:
        use_in_process(plan, call, block_view::repeated(mine, team.size), blocks, collective_area::everyone);
        break;
    case algorithm::shared_memory:
        use_area(plan, call, team, [&](auto &steps) { slot_allgather(steps, team, mine, blocks); });
        break;
    case algorithm::single_copy:
        use_area(plan, call, team, [&](auto &steps) { single_copy_allgather(steps, team, mine, blocks); });
        break;
    case algorithm::two_level:
        two_level_allgather(plan, levels_of(call), mine, blocks);
        break;
    case algorithm::mesh:
        collectives_of_fabric(call.comm)->allgather(steps_of_schedule{plan}, team, mine, blocks);
        break;
    case algorithm::bruck:
        allgather_bruck(plan, team, mine, all);
        break;
    case algorithm::recursive_doubling:
        allgather_recursive_doubling(plan, team, mine, all);
        break;
    default:
        allgather_ring(plan, team, mine, blocks);
    }
    return plan;
}

namespace {

/// All blocks of one type, as a number of elements: what every rank has at the end.
typed_buffer all_elements(const block_view &blocks) {
    typed_buffer all = blocks[0];
    for (int rank = 1; rank < blocks.size(); ++rank) {
        all.count += blocks[rank].count;
    }
    return all;
}

/// What a rank says of the elements that it gives to an allgatherv, or of those that it gets.
schedule describe_allgatherv(const collective_call &call, const own_buffer &own, const block_view &blocks) {
    if (call.comm.inter()) {
        return plan_of(call, "Allgatherv", call_signature::unsaid, call_signature::unsaid);
    }
    const typed_buffer all = all_elements(blocks);
    schedule plan = plan_of(call, "Allgatherv", call_signature::unsaid, all.bytes());
    say_elements(plan, own && own->bytes() > 0 && uniform_basic_type(*own->type) ? *own : all);
    return plan;
}

} // namespace

schedule plan_allgatherv(const collective_call &call, const own_buffer &own, const block_view &blocks) {
    schedule plan = comparing() ? describe_allgatherv(call, own, blocks) : schedule{};
    if (call.comm.inter()) {
        const team other = other_group(call.comm);
        alltoall_pairwise(plan, other, call.comm.size(),
                          block_view::repeated(own.value_or(nothing()), other.size), blocks);
        return plan;
    }
    const typed_buffer mine = own ? *own : blocks[call.comm.rank()];
    MPI_Count longest = 0;
    for (int rank = 0; rank < blocks.size(); ++rank) {
        longest = std::max(longest, blocks[rank].bytes());
    }
    const algorithm use = select(call, operation::allgatherv, of_blocks(longest, longest, longest));
    const team team = team_of(call);
    switch (use) {
    case algorithm::pair:
        use_pair(plan, call, operation::allgatherv, longest).exchange(block_view::repeated(mine, 2), blocks);
        break;
    case algorithm::copy:
        use_copy(plan, call, own, blocks[0]);
        break;
    case algorithm::in_process:
        use_in_process(plan, call, block_view::repeated(mine, team.size), blocks, collective_area::everyone);
        break;
    case algorithm::shared_memory:
        use_area(plan, call, team, [&](auto &steps) { slot_allgather(steps, team, mine, blocks); });
        break;
    case algorithm::single_copy:
        use_area(plan, call, team, [&](auto &steps) { single_copy_allgather(steps, team, mine, blocks); });
        break;
    case algorithm::two_level:
        two_level_allgather(plan, levels_of(call), mine, blocks);
        break;
    case algorithm::mesh:
        collectives_of_fabric(call.comm)->allgather(steps_of_schedule{plan}, team, mine, blocks);
        break;
    default:
        allgather_ring(plan, team, mine, blocks);
    }
    return plan;
}

namespace {

schedule plan_exchange(const collective_call &call, operation what, MPI_Count each,
                       const std::optional<block_view> &send, const block_view &receive) {
    schedule plan =
        plan_of(call, what == operation::alltoall ? "Alltoall" : "Alltoallv or Alltoallw",
                call_signature::unsaid, what == operation::alltoall ? each : call_signature::unsaid);
    const block_view &given = send ? *send : receive;
    if (what == operation::alltoall && each > 0) {
        say_elements(plan, given[0]);
    }
    const MPI_Count for_other = std::max(bytes_of_other(call, given), bytes_of_other(call, receive));
    const algorithm use = select(call, what, of_blocks(each, call.comm.peer_count() * each, for_other));
    const team team = call.comm.inter() ? other_group(call.comm) : team_of(call);
    switch (use) {
    case algorithm::pair:
        use_pair(plan, call, what, for_other).exchange(given, receive);
        return plan;
    case algorithm::copy:
        use_copy(plan, call, send ? own_buffer{(*send)[0]} : own_buffer{}, receive[0]);
        return plan;
    case algorithm::in_process: {
        own_copies copies;
        const auto kept = send ? std::vector<typed_buffer>{} : packed_copies(copies, team, receive);
        use_in_process(plan, call, send ? *send : block_view{kept}, receive, collective_area::everyone);
        return plan;
    }
    case algorithm::shared_memory:
    case algorithm::single_copy:
        use_area(plan, call, team, [&](auto &steps) {
            const auto kept = send ? std::vector<typed_buffer>{} : packed_copies(steps, team, receive);
            const block_view from = send ? *send : block_view{kept};
            if (use == algorithm::shared_memory) {
                slot_alltoall(steps, team, from, receive);
            } else {
                single_copy_alltoall(steps, team, from, receive);
            }
        });
        return plan;
    default:
        break;
    }
    const auto kept = send ? std::vector<typed_buffer>{} : packed_copies(plan, team, receive);
    const block_view from = send ? *send : block_view{kept};
    switch (use) {
    case algorithm::bruck:
        alltoall_bruck(plan, team, from, receive);
        break;
    case algorithm::linear:
        alltoall_linear(plan, team, call.comm.size(), from, receive);
        break;
    default: // between groups, too
        alltoall_pairwise(plan, team, call.comm.size(), from, receive);
    }
    return plan;
}

} // namespace

schedule plan_alltoall(const collective_call &call, const own_buffer &send, const typed_buffer &receive) {
    const int peers = call.comm.peer_count();
    return plan_exchange(call, operation::alltoall, receive.bytes(),
                         send ? std::optional{block_view{*send, peers}} : std::nullopt, {receive, peers});
}

schedule plan_alltoallv(const collective_call &call, const std::optional<block_view> &send,
                        const block_view &receive) {
    return plan_exchange(call, operation::alltoallv, 0, send, receive);
}

} // namespace lisle::collective
