// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "collective/algorithms/allreduce.hpp"
#include "collective/node/direct.hpp"
#include "collective/node/on_board.hpp"
#include "collective/node/pair.hpp"
#include "collective/schedule/plan.hpp"
#include "collective/schedule/planning.hpp"
#include "collective/algorithms/reduce.hpp"
#include "collective/algorithms/reduce_scatter.hpp"
#include "collective/algorithms/scan.hpp"
#include "collective/algorithms/two_level.hpp"

namespace lisle::collective {

schedule plan_no_part(const occasion &on, const char *call) {
    return plan_of(on, call, call_signature::unsaid, call_signature::unsaid);
}

schedule plan_reduce(const occasion &on, const own_buffer &send, const typed_buffer &receive,
                     const op &operation, int root) {
    operation.check(*receive.type);
    const typed_buffer &mine = send ? *send : receive;
    schedule plan = plan_of(on, "Reduce", root, receive.bytes(), &operation);
    if (reduces_in_place(operation, receive)) {
        if (pair two{on, collective::operation::reduce, receive.bytes()}) {
            two.reduce(plan, operation, mine, receive, root);
            return plan;
        }
    }
    if (on.comm.inter()) {
        reduce_between_groups(plan, own_group(on.comm), other_group(on.comm), operation, mine, receive, root);
        return plan;
    }
    if (is_alone(on)) {
        use_copy(plan, on, send, receive);
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(team, collective::operation::reduce, operation, receive)) {
    case algorithm::board:
        use_board(plan, on, team,
                  [&](auto &steps) { board_reduce(steps, team, operation, mine, receive, root); });
        break;
    case algorithm::direct:
        use_board(plan, on, team,
                  [&](auto &steps) { direct_reduce(steps, team, operation, mine, receive, root); });
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
    const typed_buffer &mine = send ? *send : receive;
    schedule plan = plan_of(on, "Allreduce", call_signature::unsaid, receive.bytes(), &operation);
    if (reduces_in_place(operation, receive)) {
        if (pair two{on, collective::operation::allreduce, receive.bytes()}) {
            two.allreduce(plan, operation, mine, receive);
            return plan;
        }
    }
    if (on.comm.inter()) {
        allreduce_between_groups(plan, own_group(on.comm), other_group(on.comm), operation, mine, receive);
        return plan;
    }
    if (is_alone(on)) {
        use_copy(plan, on, send, receive);
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(team, collective::operation::allreduce, operation, receive)) {
    case algorithm::board:
        use_board(plan, on, team,
                  [&](auto &steps) { board_allreduce(steps, team, operation, mine, receive); });
        break;
    case algorithm::direct:
        use_board(plan, on, team,
                  [&](auto &steps) { direct_allreduce(steps, team, operation, mine, receive); });
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
    if (is_alone(on)) {
        use_copy(plan, on, send ? own_buffer{vector} : own_buffer{}, piece);
        return plan;
    }
    const team team = team_of(on);
    const auto first = [&] {
        return std::accumulate(counts.begin(), counts.begin() + team.rank, MPI_Count{0});
    };
    switch (choose_for(team, collective::operation::reduce_scatter, operation, vector)) {
    case algorithm::board:
        use_board(plan, on, team, [&](auto &steps) {
            board_reduce_scatter(steps, team, operation, vector, piece, first() * vector.type->size());
        });
        break;
    case algorithm::direct:
        use_board(plan, on, team, [&](auto &steps) {
            direct_reduce_scatter(steps, team, operation, vector, piece, first());
        });
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
    const typed_buffer &mine = send ? *send : receive;
    schedule plan = plan_of(on, "Scan", call_signature::unsaid, receive.bytes(), &operation);
    if (reduces_in_place(operation, receive)) {
        if (pair two{on, collective::operation::scan, receive.bytes()}) {
            two.scan(plan, operation, mine, receive);
            return plan;
        }
    }
    if (is_alone(on)) {
        use_copy(plan, on, send, receive);
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(team, collective::operation::scan, operation, receive)) {
    case algorithm::board:
        use_board(plan, on, team, [&](auto &steps) { board_scan(steps, team, operation, mine, receive); });
        break;
    case algorithm::direct:
        use_board(plan, on, team, [&](auto &steps) { direct_scan(steps, team, operation, mine, receive); });
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
    const typed_buffer &mine = send ? *send : receive;
    schedule plan = plan_of(on, "Exscan", call_signature::unsaid, receive.bytes(), &operation);
    if (reduces_in_place(operation, receive)) {
        if (pair two{on, collective::operation::exscan, receive.bytes()}) {
            two.exscan(plan, mine, receive);
            return plan;
        }
    }
    if (is_alone(on)) {
        use_copy(plan, on, {}, receive);
        return plan;
    }
    const team team = team_of(on);
    switch (choose_for(team, collective::operation::exscan, operation, receive)) {
    case algorithm::board:
        use_board(plan, on, team, [&](auto &steps) { board_exscan(steps, team, operation, mine, receive); });
        break;
    case algorithm::direct:
        use_board(plan, on, team, [&](auto &steps) { direct_exscan(steps, team, operation, mine, receive); });
        break;
    case algorithm::linear:
        exscan_linear(plan, team, operation, mine, receive);
        break;
    default:
        exscan_doubling(plan, team, operation, mine, receive);
    }
    return plan;
}

} // namespace lisle::collective
