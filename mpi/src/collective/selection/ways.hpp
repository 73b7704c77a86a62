// SPDX-License-Identifier: Apache-2.0
// How algorithms of each kind are carried out, from the data of a call: what table.cpp names in its rows. An
// algorithm gets the data of its operation in one order of arguments, whatever its kind.
#pragma once

#include <new>
#include <vector>

#include "collective/algorithms/alltoall.hpp"
#include "collective/algorithms/by_fabric.hpp"
#include "collective/node/hierarchy.hpp"
#include "collective/node/message_scan.hpp"
#include "collective/node/pair.hpp"
#include "collective/process/in_process.hpp"
#include "collective/selection/table.hpp"
#include "collective/steps/immediate_steps.hpp"

namespace lisle::collective {

[[nodiscard]] constexpr bool has_root(operation what) noexcept {
    using enum collective_operation;
    return what == bcast || what == gather || what == gatherv || what == scatter || what == scatterv ||
           what == reduce;
}
[[nodiscard]] constexpr bool is_scan(operation what) noexcept {
    return what == operation::scan || what == operation::exscan;
}

/// Calls the algorithm with the arguments of its operation but for the root. @param plan keeps copies of what
/// MPI_IN_PLACE of an alltoall overwrites
template <operation What, class Plan, class Algorithm> [[gnu::always_inline]] inline void
give_but_root(Plan &plan, const team &ranks, const operands &data, Algorithm algorithm) {
    using enum collective_operation;
    if constexpr (What == barrier) {
        algorithm();
    } else if constexpr (What == bcast) {
        algorithm(*data.receive);
    } else if constexpr (What == gather || What == gatherv || What == allgather || What == allgatherv) {
        algorithm(*data.send, *data.take);
    } else if constexpr (What == scatter || What == scatterv) {
        algorithm(*data.give, *data.receive);
    } else if constexpr (What == alltoall || What == alltoallv) {
        if (data.give->size() != 0) {
            algorithm(*data.give, *data.take);
        } else {
            const std::vector<typed_buffer> kept = packed_copies(plan, ranks, *data.take);
            algorithm(block_view{kept}, *data.take);
        }
    } else if constexpr (What == reduce_scatter) {
        algorithm(*data.reduction, *data.send, *data.receive, data.counts);
    } else {
        algorithm(*data.reduction, *data.send, *data.receive);
    }
}
/// The same with the root, if there is one, as the last argument.
template <operation What, class Plan, class Algorithm> [[gnu::always_inline]] inline void
give(Plan &plan, const team &ranks, const operands &data, Algorithm algorithm) {
    give_but_root<What>(plan, ranks, data, [&](const auto &...arguments) {
        if constexpr (has_root(What)) {
            algorithm(arguments..., data.root);
        } else {
            algorithm(arguments...);
        }
    });
}

/// Messages among the ranks. @param Algorithm (schedule &, const team &, the arguments)
template <auto Algorithm> struct messages {
    template <operation What> static void write(schedule &plan, const parties &among, const operands &data) {
        give<What>(plan, among.ranks, data,
                   [&](const auto &...arguments) { Algorithm(plan, among.ranks, arguments...); });
    }
    template <operation What> static constexpr way carried_out{
        .possible = [](const situation &) noexcept { return true; }, .write = write<What>, .sends = true};
};

/// Messages between the groups of an inter-communicator.
/// @param Algorithm (schedule &, own group, other group, the arguments)
template <auto Algorithm> struct groups {
    template <operation What> static void write(schedule &plan, const parties &among, const operands &data) {
        const team other = other_group(*among.comm);
        give<What>(plan, other, data, [&](const auto &...arguments) {
            Algorithm(plan, own_group(*among.comm), other, arguments...);
        });
    }
    template <operation What>
    static constexpr way carried_out{.possible = [](const situation &given) noexcept { return given.inter; },
                                     .write = write<What>,
                                     .words = " of an inter-communicator",
                                     .sends = true};
};

/// Through the memory that the ranks share. @param Algorithm has write(steps, const team &, the arguments)
template <class Algorithm> struct area_steps {
    static constexpr unsigned phases = [] {
        if constexpr (requires { Algorithm::phases; }) {
            return Algorithm::phases;
        }
        return 1U;
    }();
    template <operation What> static void write(schedule &plan, const parties &among, const operands &data) {
        give<What>(plan, among.ranks, data,
                   [&](const auto &...arguments) { Algorithm::write(plan, among.ranks, arguments...); });
    }
    template <operation What> static void at_once(communicator &comm, MPI_Count, const operands &data) {
        team ranks = own_group(comm);
        ranks.shared = collective_area::found(comm);
        immediate_steps steps{*ranks.shared, phases};
        try {
            give<What>(steps, ranks, data,
                       [&](const auto &...arguments) { Algorithm::write(steps, ranks, arguments...); });
        } catch (const std::bad_alloc &) {
            steps.give_up(phases);
            throw;
        }
        steps.end();
    }
};
template <class Algorithm> struct slots {
    template <operation What> static constexpr way carried_out{
        .possible = [](const situation &given) noexcept { return given.shared_memory; },
        .write = area_steps<Algorithm>::template write<What>,
        .at_once = area_steps<Algorithm>::template at_once<What>,
        .words = " if it fits the collective area",
        .posts = true};
};
template <class Algorithm> struct copies {
    template <operation What> static constexpr way carried_out{
        .possible = [](const situation &given) noexcept { return given.single_copy; },
        .write = area_steps<Algorithm>::template write<What>,
        .at_once = area_steps<Algorithm>::template at_once<What>,
        .words = " if ranks can use each other's memory",
        .asks_places = true};
};

/// As slots and single copies, or messages, within each place and messages between the places' leaders.
/// @param Algorithm (schedule &, const two_levels &, the arguments but for the root)
template <auto Algorithm> struct levels {
    template <operation What> static void write(schedule &plan, const parties &among, const operands &data) {
        hierarchy &places = *hierarchy::of(*among.comm);
        collective_area *const area = among.may_use_area ? places.area(*among.comm) : nullptr;
        const auto leader_or_root = [&] {
            if constexpr (has_root(What)) {
                return data.root;
            } else {
                return is_scan(What) ? leader::last : leader::first;
            }
        }();
        const two_levels ranks{places, own_group(*among.comm), area, write_part, leader_or_root};
        give_but_root<What>(plan, among.ranks, data,
                            [&](const auto &...arguments) { Algorithm(plan, ranks, arguments...); });
    }
    template <operation What> static constexpr way carried_out{
        .possible =
            [](const situation &given) noexcept {
                using enum collective_operation;
                const bool keeps_order = What == reduce_scatter || is_scan(What) ||
                                         ((What == reduce || What == allreduce) && !given.commutative);
                return given.several_places && (!keeps_order || given.places_in_order);
            },
        .write = write<What>,
        .words = " if the ranks are on several nodes (or processes), and several on some",
        .asks_places = true};
};

/// As the fabric knows to, on a mesh. @param Algorithm of member_collectives
template <auto Algorithm> struct by_fabric {
    template <operation What> static void write(schedule &plan, const parties &among, const operands &data) {
        const member_collectives &of_fabric = *collectives_of_fabric(*among.comm);
        const steps_of_schedule steps{plan};
        give<What>(plan, among.ranks, data, [&](const auto &...arguments) {
            (of_fabric.*Algorithm)(steps, among.ranks, arguments...);
        });
    }
    template <operation What> static constexpr way carried_out{
        .possible = [](const situation &given) noexcept { return given.mesh && given.commutative; },
        .write = write<What>,
        .words = " if the ranks lie on a mesh of tiles",
        .asks_places = true};
};

/// The only rank of a communicator copies what it gives to where it gets it.
struct alone {
    /// Calls copy(from, to) if there is anything to copy.
    template <operation What> static void each_copy(const operands &data, auto copy) {
        using enum collective_operation;
        if constexpr (What == gather || What == gatherv || What == allgather || What == allgatherv) {
            copy(*data.send, (*data.take)[0]);
        } else if constexpr (What == scatter || What == scatterv) {
            copy((*data.give)[0], *data.receive);
        } else if constexpr (What == alltoall || What == alltoallv) {
            if (data.give->size() != 0) {
                copy((*data.give)[0], (*data.take)[0]);
            }
        } else if constexpr (What == reduce || What == allreduce || What == reduce_scatter || What == scan) {
            copy(*data.send, *data.receive);
        }
    }
    template <operation What> static void write(schedule &plan, const parties &, const operands &data) {
        each_copy<What>(data, [&plan](const auto &from, const auto &to) { plan.copy(from, to); });
    }
    template <operation What> static void at_once(communicator &comm, MPI_Count, const operands &data) {
        refuse_revoked(comm);
        each_copy<What>(data, [](const typed_buffer &from, const typed_buffer &to) {
            if (is_to_copy(from, to)) {
                local_steps{nullptr}.take(copy_step{from, to});
            }
        });
    }
    template <operation What> static constexpr way carried_out{
        .possible = [](const situation &given) noexcept { return given.ranks == 1 && !given.inter; },
        .write = write<What>,
        .at_once = at_once<What>,
        .words = " if there is one rank"};
};

/// Two ranks exchange short data through slots.
struct as_pair {
    template <operation What> static constexpr way carried_out{
        .possible = [](const situation &given) noexcept { return given.pair && given.plain(); },
        .at_once = run_as_pair<What>,
        .words = " if there are two ranks, plain data, blocking",
        .posts = true};
};

/// A scan of two ranks is one or two short messages.
struct as_message {
    template <operation What> static void at_once(communicator &comm, MPI_Count, const operands &data) {
        scan_by_message(comm, What, *data.send, *data.receive, *data.reduction);
    }
    template <operation What> static constexpr way carried_out{
        .possible =
            [](const situation &given) noexcept {
                return given.message && given.plain() && given.bytes <= most_in_message;
            },
        .at_once = at_once<What>,
        .words = " if there are two ranks, plain data, blocking"};
};

/// Ranks that take turns in one process.
struct in_turns {
    template <operation What> static void at_once(communicator &comm, MPI_Count bytes, const operands &data) {
        using enum collective_operation;
        in_process_collective &shared = *in_process_collective::of(comm);
        constexpr int all = area_members::everyone;
        const auto repeated = [&comm](const typed_buffer &buffer) {
            return block_view::repeated(just_described(buffer), comm.size());
        };
        if constexpr (What == barrier) {
            barrier_in_process(comm, shared);
        } else if constexpr (What == bcast) {
            const bool gives = comm.rank() == data.root;
            const block_view same = repeated(*data.receive);
            exchange_in_process(comm, gives ? same : block_view{}, gives ? block_view{} : same, data.root);
        } else if constexpr (What == gather || What == gatherv) {
            exchange_in_process(comm, repeated(*data.send), *data.take, data.root);
        } else if constexpr (What == scatter || What == scatterv) {
            exchange_in_process(comm, *data.give, repeated(*data.receive), data.root);
        } else if constexpr (What == allgather || What == allgatherv) {
            exchange_in_process(comm, repeated(*data.send), *data.take, all);
        } else if constexpr (What == alltoall || What == alltoallv) {
            own_copies copies;
            give<What>(copies, own_group(comm), data, [&](const block_view &from, const block_view &to) {
                exchange_in_process(comm, from, to, all);
            });
        } else {
            if (is_scan(What) && shared.scans_in_turn(*data.receive->type, bytes)) {
                shared.scan(comm, {.give = data.send->address,
                                   .take = just_described(*data.receive),
                                   .bytes = bytes,
                                   .operation = data.reduction,
                                   .exclusive = What == exscan});
            } else {
                reduce_in_process(comm, shared, What,
                                  {.give = just_described(*data.send), .take = just_described(*data.receive)},
                                  *data.reduction);
            }
        }
    }
    template <operation What> static constexpr way carried_out{
        .possible = [](const situation &given) noexcept { return given.in_process && given.predefined; },
        .at_once = at_once<What>,
        .words = " among fibers of a process or threads that share cores, blocking"};
};

} // namespace lisle::collective
