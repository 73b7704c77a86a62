// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "collective/algorithms/allreduce.hpp"
#include "collective/algorithms/by_fabric.hpp"
#include "collective/algorithms/reduce.hpp"
#include "collective/algorithms/reduce_scatter.hpp"
#include "collective/algorithms/scan.hpp"
#include "collective/algorithms/two_level.hpp"
#include "collective/node/single_copy.hpp"
#include "collective/node/slot_algorithms.hpp"
#include "collective/schedule/plan.hpp"
#include "collective/schedule/planning.hpp"

namespace lisle::collective {

schedule plan_no_part(const collective_call &call, const char *name) {
    return plan_of(call, name, call_signature::unsaid, call_signature::unsaid);
}

schedule plan_reduce(const collective_call &call, const own_buffer &send, const typed_buffer &receive,
                     const op &operation, int root) {
    operation.check(*receive.type);
    const typed_buffer &mine = send ? *send : receive;
    schedule plan = plan_of(call, "Reduce", root, receive.bytes(), &operation);
    say_elements(plan, receive);
    const algorithm use = select(call, collective_operation::reduce, of_vector(operation, receive));
    const team team = team_of(call);
    switch (use) {
    case algorithm::pair:
        use_pair(plan, call, collective_operation::reduce, receive.bytes())
            .reduce(operation, mine, receive, root);
        break;
    case algorithm::between_groups:
        reduce_between_groups(plan, own_group(call.comm), other_group(call.comm), operation, mine, receive,
                              root);
        break;
    case algorithm::copy:
        use_copy(plan, call, send, receive);
        break;
    case algorithm::shared_memory:
        use_area(plan, call, team,
                 [&](auto &steps) { slot_reduce(steps, team, operation, mine, receive, root); });
        break;
    case algorithm::single_copy:
        use_area(plan, call, team,
                 [&](auto &steps) { single_copy_reduce(steps, team, operation, mine, receive, root); });
        break;
    case algorithm::two_level:
        two_level_reduce(plan, levels_of(call, root), operation, mine, receive);
        break;
    case algorithm::mesh:
        collectives_of_fabric(call.comm)->reduce(steps_of_schedule{plan}, team, operation, mine, receive,
                                                 root);
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

schedule plan_allreduce(const collective_call &call, const own_buffer &send, const typed_buffer &receive,
                        const op &operation) {
    operation.check(*receive.type);
    const typed_buffer &mine = send ? *send : receive;
    schedule plan = plan_of(call, "Allreduce", call_signature::unsaid, receive.bytes(), &operation);
    say_elements(plan, receive);
    const algorithm use = select(call, collective_operation::allreduce, of_vector(operation, receive));
    const team team = team_of(call);
    switch (use) {
    case algorithm::between_groups:
        allreduce_between_groups(plan, own_group(call.comm), other_group(call.comm), operation, mine,
                                 receive);
        break;
    case algorithm::copy:
        use_copy(plan, call, send, receive);
        break;
    case algorithm::shared_memory:
        use_area(plan, call, team,
                 [&](auto &steps) { slot_allreduce(steps, team, operation, mine, receive); });
        break;
    case algorithm::single_copy:
        use_area(plan, call, team,
                 [&](auto &steps) { single_copy_allreduce(steps, team, operation, mine, receive); });
        break;
    case algorithm::two_level:
        two_level_allreduce(plan, levels_of(call), operation, mine, receive);
        break;
    case algorithm::mesh:
        collectives_of_fabric(call.comm)->allreduce(steps_of_schedule{plan}, team, operation, mine, receive);
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

schedule plan_reduce_scatter(const collective_call &call, const own_buffer &send, const typed_buffer &receive,
                             std::span<const MPI_Count> counts, const op &operation) {
    operation.check(*receive.type);
    const auto rank = static_cast<std::size_t>(call.comm.rank());
    const MPI_Count total = std::accumulate(counts.begin(), counts.end(), MPI_Count{0});
    schedule plan =
        plan_of(call, "Reduce_scatter", call_signature::unsaid, total * receive.type->size(), &operation);
    const typed_buffer vector{send ? send->address : receive.address, total, *receive.type};
    const typed_buffer piece{receive.address, counts[rank], *receive.type};
    const algorithm use = select(call, collective_operation::reduce_scatter, of_vector(operation, vector));
    const team team = team_of(call);
    const auto first = [&] {
        return std::accumulate(counts.begin(), counts.begin() + team.rank, MPI_Count{0});
    };
    switch (use) {
    case algorithm::between_groups:
        reduce_scatter_between_groups(plan, own_group(call.comm), other_group(call.comm), operation, vector,
                                      piece, counts);
        break;
    case algorithm::copy:
        use_copy(plan, call, send ? own_buffer{vector} : own_buffer{}, piece);
        break;
    case algorithm::shared_memory:
        use_area(plan, call, team, [&](auto &steps) {
            slot_reduce_scatter(steps, team, operation, vector, piece, first() * vector.type->size());
        });
        break;
    case algorithm::single_copy:
        use_area(plan, call, team, [&](auto &steps) {
            single_copy_reduce_scatter(steps, team, operation, vector, piece, first());
        });
        break;
    case algorithm::two_level:
        two_level_reduce_scatter(plan, levels_of(call), operation, vector, piece, counts);
        break;
    case algorithm::mesh:
        collectives_of_fabric(call.comm)->reduce_scatter(steps_of_schedule{plan}, team, operation, vector,
                                                         piece, counts);
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

schedule plan_scan(const collective_call &call, const own_buffer &send, const typed_buffer &receive,
                   const op &operation) {
    refuse_inter(call.comm, "a scan");
    operation.check(*receive.type);
    const typed_buffer &mine = send ? *send : receive;
    schedule plan = plan_of(call, "Scan", call_signature::unsaid, receive.bytes(), &operation);
    say_elements(plan, receive);
    const algorithm use = select(call, collective_operation::scan, of_vector(operation, receive));
    const team team = team_of(call);
    switch (use) {
    case algorithm::copy:
        use_copy(plan, call, send, receive);
        break;
    case algorithm::shared_memory:
        use_area(plan, call, team, [&](auto &steps) { slot_scan(steps, team, operation, mine, receive); });
        break;
    case algorithm::single_copy:
        use_area(plan, call, team,
                 [&](auto &steps) { single_copy_scan(steps, team, operation, mine, receive); });
        break;
    case algorithm::two_level:
        two_level_scan(plan, levels_of(call, leader::last), operation, mine, receive);
        break;
    case algorithm::linear:
        scan_linear(plan, team, operation, mine, receive);
        break;
    default:
        scan_doubling(plan, team, operation, mine, receive);
    }
    return plan;
}

schedule plan_exscan(const collective_call &call, const own_buffer &send, const typed_buffer &receive,
                     const op &operation) {
    refuse_inter(call.comm, "an exclusive scan");
    operation.check(*receive.type);
    const typed_buffer &mine = send ? *send : receive;
    schedule plan = plan_of(call, "Exscan", call_signature::unsaid, receive.bytes(), &operation);
    say_elements(plan, receive);
    const algorithm use = select(call, collective_operation::exscan, of_vector(operation, receive));
    const team team = team_of(call);
    switch (use) {
    case algorithm::copy:
        use_copy(plan, call, {}, receive);
        break;
    case algorithm::shared_memory:
        use_area(plan, call, team, [&](auto &steps) { slot_exscan(steps, team, operation, mine, receive); });
        break;
    case algorithm::single_copy:
        use_area(plan, call, team,
                 [&](auto &steps) { single_copy_exscan(steps, team, operation, mine, receive); });
        break;
    case algorithm::two_level:
        two_level_exscan(plan, levels_of(call, leader::last), operation, mine, receive);
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
