// SPDX-License-Identifier: Apache-2.0
// The rules for messages follow the literature (Thakur, Rabenseifner, Gropp 2005) where measurements with
// mpi/bench/ on one node say nothing else.
#include "collective/selection/table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "collective/algorithms/allgather.hpp"
#include "collective/algorithms/allreduce.hpp"
#include "collective/algorithms/barrier.hpp"
#include "collective/algorithms/barrier_tournament.hpp"
#include "collective/algorithms/bcast.hpp"
#include "collective/algorithms/by_fabric.hpp"
#include "collective/algorithms/gather.hpp"
#include "collective/algorithms/reduce.hpp"
#include "collective/algorithms/reduce_scatter.hpp"
#include "collective/algorithms/scan.hpp"
#include "collective/node/single_copy.hpp"
#include "collective/node/slot_algorithms.hpp"
#include "collective/node/slot_tree.hpp"
#include "collective/node/two_level.hpp"
#include "collective/selection/selection.hpp"
#include "collective/selection/ways.hpp"

namespace lisle::collective {

namespace {

// ---- when an algorithm is chosen ----

constexpr limits always{};
/// For comparison, or where a user knows better.
constexpr limits by_setting{.only_by_setting = true};
constexpr limits up_to(MPI_Count bytes) {
    return {.most = bytes};
}
constexpr limits more_than(int ranks, MPI_Count most = any_size) {
    return {.most = most, .least_ranks = ranks + 1};
}
constexpr limits more_bytes_than(MPI_Count bytes, int ranks = 0) {
    return {.least = bytes + 1, .least_ranks = ranks + 1};
}
// So many processes share a node's memory that a rank had better not look at what each of the others posts,
// nor wake them all: they follow a tree, or send messages.
constexpr int many_processes = 64;
constexpr limits from_many_processes(MPI_Count bytes) {
    return {.most = bytes, .least_ranks_between = many_processes + 1};
}
constexpr limits all_in_slots{.most_ranks = many_processes};
// Longer data are copied once from buffer to buffer within a process. Between processes longer data go
// through pages, which the receiver empties while the sender fills the next.
constexpr limits in_slots{.most = 1024, .most_between = 16384, .most_ranks = many_processes};
constexpr limits in_slots_of_root{.most = 1024, .most_between = 16384};
constexpr limits scanned_in_slots{.most = 16384, .most_ranks = many_processes};
// Where each rank reduces what all have posted, there may not be many.
constexpr limits reduced_in_slots{
    .most = 1024, .most_between = 16384, .most_ranks_between = 4, .most_ranks = many_processes};
// Between processes a call of the kernel costs less than a page from this size on.
constexpr limits long_data{.least_between = 32768, .most_ranks = many_processes};
constexpr limits long_data_of_root{.least_between = 32768};
// All workers together reduce longer vectors.
constexpr limits in_turn_up_to = up_to(2048);
// Leaders gather and scatter the blocks of their nodes up to here; longer ones go straight to the root.
constexpr limits blocks_of_places = up_to(16384);

// Shorter vectors are not worth the stages of a mesh. Where more than two meet in a stage, it has more
// messages.
constexpr MPI_Count mesh_least_in_pairs = 512;
constexpr MPI_Count mesh_least_to_reduce = 1024;
constexpr MPI_Count mesh_least_to_move = 4096;
constexpr MPI_Count mesh_least_to_gather = 16384;
// A ring moves longer blocks than this faster than stages in which more than two meet.
constexpr MPI_Count mesh_most_block = 4096;
// So few ranks meet in the same pairs, or in a tree as fast, without a mesh; but where they reduce vectors of
// such lengths.
constexpr int mesh_few_ranks = 4;
constexpr size_range mesh_among_few{8192, 32768};

size_range range_on_mesh(const situation &given) noexcept {
    constexpr size_range none{any_size, 0};
    if (given.ranks <= mesh_few_ranks && given.what != operation::allreduce) {
        return given.what == operation::reduce ? mesh_among_few : none;
    }
    // Of gathered blocks the size in all counts.
    const MPI_Count ranks = given.gathers_blocks() ? given.ranks : 1;
    const auto in_all = [ranks](MPI_Count bytes) { return (bytes + ranks - 1) / ranks; };
    if (given.in_pairs) {
        return {in_all(mesh_least_in_pairs), any_size};
    }
    if (given.gathers_blocks()) {
        return {in_all(mesh_least_to_gather), mesh_most_block};
    }
    return {given.what == operation::bcast ? mesh_least_to_move : mesh_least_to_reduce, any_size};
}
constexpr limits on_mesh{.in = range_on_mesh};

// ---- what an algorithm needs besides what its kind does ----

bool nothing_more(const situation &) noexcept {
    return true;
}
bool commuting(const situation &given) noexcept {
    return given.commutative;
}
bool array_of_blocks(const situation &given) noexcept {
    return given.of_array;
}
bool power_of_two(const situation &given) noexcept {
    return given.of_array && std::has_single_bit(static_cast<unsigned>(given.ranks));
}

/// A row.
template <operation What, algorithm Use, class Way>
constexpr row use(limits when = always, bool (*needs)(const situation &) noexcept = nothing_more) {
    return {What, Use, needs, when, Way::template carried_out<What>};
}

void refuse_scan(schedule &, const team &, const team &, const op &, const typed_buffer &,
                 const typed_buffer &) {
    fail(MPI_ERR_COMM, "a scan is not defined on inter-communicators");
}

using on = operation;
using by = algorithm;

/// The build reads the names in this table, too (base/collective_algorithms.hpp).
constexpr row table[] = {
    use<on::barrier, by::between_groups, groups<barrier_between_groups>>(),
    use<on::barrier, by::copy, alone>(),
    use<on::barrier, by::in_process, in_turns>(),
    use<on::barrier, by::pair, as_pair>(),
    use<on::barrier, by::shared_tree, slots<tree_barrier>>(from_many_processes(any_size)),
    use<on::barrier, by::shared_memory, slots<slot_barrier>>(all_in_slots),
    use<on::barrier, by::two_level, levels<two_level_barrier>>(),
    use<on::barrier, by::linear, messages<barrier_linear>>(by_setting),
    use<on::barrier, by::tournament, messages<barrier_tournament>>(by_setting),
    use<on::barrier, by::dissemination, messages<barrier_dissemination>>(),

    use<on::bcast, by::between_groups, groups<bcast_between_groups>>(),
    use<on::bcast, by::copy, alone>(),
    use<on::bcast, by::in_process, in_turns>(by_setting),
    use<on::bcast, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::bcast, by::shared_memory, slots<slot_bcast>>(in_slots_of_root),
    use<on::bcast, by::single_copy, copies<single_copy_bcast>>(long_data_of_root),
    use<on::bcast, by::two_level, levels<two_level_bcast>>(),
    use<on::bcast, by::mesh, by_fabric<&member_collectives::bcast>>(on_mesh),
    use<on::bcast, by::pipelined, messages<bcast_pipelined>>(more_bytes_than(65536, 2)),
    use<on::bcast, by::scatter_allgather, messages<bcast_scatter_allgather>>(by_setting),
    use<on::bcast, by::linear, messages<bcast_linear>>(by_setting),
    use<on::bcast, by::binomial, messages<bcast_binomial>>(),

    use<on::gather, by::between_groups, groups<gather_between_groups>>(),
    use<on::gather, by::copy, alone>(),
    use<on::gather, by::in_process, in_turns>(by_setting),
    use<on::gather, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::gather, by::shared_memory, slots<slot_gather>>(in_slots),
    use<on::gather, by::single_copy, copies<single_copy_gather>>(long_data_of_root),
    use<on::gather, by::two_level, levels<two_level_gather>>(blocks_of_places),
    use<on::gather, by::binomial, messages<gather_binomial>>(more_than(2, 4096), array_of_blocks),
    use<on::gather, by::linear, messages<gather_linear>>(), // longer blocks go to the root directly

    use<on::gatherv, by::between_groups, groups<gather_between_groups>>(),
    use<on::gatherv, by::copy, alone>(),
    use<on::gatherv, by::in_process, in_turns>(by_setting),
    use<on::gatherv, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::gatherv, by::single_copy, copies<single_copy_gather>>(),
    use<on::gatherv, by::linear, messages<gather_linear>>(),

    use<on::scatter, by::between_groups, groups<scatter_between_groups>>(),
    use<on::scatter, by::copy, alone>(),
    use<on::scatter, by::in_process, in_turns>(by_setting),
    use<on::scatter, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::scatter, by::shared_memory, slots<slot_scatter>>(in_slots_of_root),
    use<on::scatter, by::single_copy, copies<single_copy_scatter>>(long_data_of_root),
    use<on::scatter, by::two_level, levels<two_level_scatter>>(blocks_of_places),
    use<on::scatter, by::binomial, messages<scatter_binomial>>(more_than(2, 4096), array_of_blocks),
    use<on::scatter, by::linear, messages<scatter_linear>>(),

    use<on::scatterv, by::between_groups, groups<scatter_between_groups>>(),
    use<on::scatterv, by::copy, alone>(),
    use<on::scatterv, by::in_process, in_turns>(by_setting),
    use<on::scatterv, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::scatterv, by::single_copy, copies<single_copy_scatter>>(),
    use<on::scatterv, by::linear, messages<scatter_linear>>(),

    use<on::allgather, by::between_groups, groups<allgather_between_groups>>(),
    use<on::allgather, by::copy, alone>(),
    use<on::allgather, by::in_process, in_turns>(by_setting),
    use<on::allgather, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::allgather, by::shared_memory, slots<slot_allgather>>(in_slots),
    use<on::allgather, by::single_copy, copies<single_copy_allgather>>(long_data),
    use<on::allgather, by::two_level, levels<two_level_allgather>>(blocks_of_places),
    use<on::allgather, by::mesh, by_fabric<&member_collectives::allgather>>(on_mesh),
    use<on::allgather, by::recursive_doubling, messages<allgather_recursive_doubling>>(up_to(16384),
                                                                                       power_of_two),
    use<on::allgather, by::bruck, messages<allgather_bruck>>(up_to(4096), array_of_blocks),
    use<on::allgather, by::ring, messages<allgather_ring>>(),

    use<on::allgatherv, by::between_groups, groups<allgather_between_groups>>(),
    use<on::allgatherv, by::copy, alone>(),
    use<on::allgatherv, by::in_process, in_turns>(by_setting),
    use<on::allgatherv, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::allgatherv, by::shared_memory, slots<slot_allgather>>(in_slots),
    use<on::allgatherv, by::single_copy, copies<single_copy_allgather>>(long_data),
    use<on::allgatherv, by::two_level, levels<two_level_allgather>>(blocks_of_places),
    use<on::allgatherv, by::mesh, by_fabric<&member_collectives::allgather>>(on_mesh),
    use<on::allgatherv, by::ring, messages<allgather_ring>>(),

    use<on::alltoall, by::between_groups, groups<alltoall_between_groups>>(),
    use<on::alltoall, by::copy, alone>(),
    use<on::alltoall, by::in_process, in_turns>(),
    use<on::alltoall, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::alltoall, by::shared_memory, slots<slot_alltoall>>(in_slots),
    use<on::alltoall, by::single_copy, copies<single_copy_alltoall>>(long_data),
    use<on::alltoall, by::bruck, messages<alltoall_bruck>>(more_than(8, 256)),
    use<on::alltoall, by::pairwise, messages<alltoall_pairwise>>(more_than(8)),
    use<on::alltoall, by::linear, messages<alltoall_linear>>(),

    use<on::alltoallv, by::between_groups, groups<alltoall_between_groups>>(),
    use<on::alltoallv, by::copy, alone>(),
    use<on::alltoallv, by::in_process, in_turns>(),
    use<on::alltoallv, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::alltoallv, by::single_copy, copies<single_copy_alltoall>>(),
    use<on::alltoallv, by::pairwise, messages<alltoall_pairwise>>(more_than(8)),
    use<on::alltoallv, by::linear, messages<alltoall_linear>>(),

    use<on::reduce, by::between_groups, groups<reduce_between_groups>>(),
    use<on::reduce, by::copy, alone>(),
    use<on::reduce, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::reduce, by::shared_memory, slots<slot_reduce>>(reduced_in_slots),
    use<on::reduce, by::single_copy, copies<single_copy_reduce>>(long_data),
    use<on::reduce, by::two_level, levels<two_level_reduce>>(),
    use<on::reduce, by::mesh, by_fabric<&member_collectives::reduce>>(on_mesh),
    use<on::reduce, by::linear, messages<reduce_linear>>(by_setting),
    use<on::reduce, by::reduce_scatter_allgather, messages<reduce_reduce_scatter_gather>>(
        more_bytes_than(65536), commuting),
    use<on::reduce, by::binomial, messages<reduce_binomial>>(),

    use<on::allreduce, by::between_groups, groups<allreduce_between_groups>>(),
    use<on::allreduce, by::copy, alone>(),
    use<on::allreduce, by::in_process, in_turns>(in_turn_up_to),
    use<on::allreduce, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::allreduce, by::shared_tree, slots<tree_allreduce>>(from_many_processes(1024), commuting),
    use<on::allreduce, by::shared_memory, slots<slot_allreduce>>(reduced_in_slots),
    use<on::allreduce, by::single_copy, copies<single_copy_allreduce>>(long_data),
    use<on::allreduce, by::two_level, levels<two_level_allreduce>>(),
    use<on::allreduce, by::mesh, by_fabric<&member_collectives::allreduce>>(on_mesh),
    use<on::allreduce, by::reduce_scatter_allgather, messages<allreduce_reduce_scatter_allgather>>(
        more_bytes_than(8192), commuting),
    use<on::allreduce, by::ring, messages<allreduce_ring>>(by_setting, commuting),
    use<on::allreduce, by::reduce_bcast, messages<allreduce_reduce_bcast>>(by_setting),
    use<on::allreduce, by::recursive_doubling, messages<allreduce_recursive_doubling>>(),

    use<on::reduce_scatter, by::between_groups, groups<reduce_scatter_between_groups>>(),
    use<on::reduce_scatter, by::copy, alone>(),
    use<on::reduce_scatter, by::shared_memory, slots<slot_reduce_scatter>>(reduced_in_slots),
    use<on::reduce_scatter, by::single_copy, copies<single_copy_reduce_scatter>>(long_data),
    use<on::reduce_scatter, by::two_level, levels<two_level_reduce_scatter>>(),
    use<on::reduce_scatter, by::mesh, by_fabric<&member_collectives::reduce_scatter>>(on_mesh),
    use<on::reduce_scatter, by::recursive_halving, messages<reduce_scatter_recursive_halving>>(
        more_than(2, 262144), commuting),
    use<on::reduce_scatter, by::pairwise, messages<reduce_scatter_pairwise>>(always, commuting),
    use<on::reduce_scatter, by::by_root, messages<reduce_scatter_by_root>>(),

    use<on::scan, by::between_groups, groups<refuse_scan>>(),
    use<on::scan, by::copy, alone>(),
    use<on::scan, by::message, as_message>(up_to(most_in_message)),
    use<on::scan, by::in_process, in_turns>(in_turn_up_to),
    use<on::scan, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::scan, by::shared_memory, slots<slot_scan>>(scanned_in_slots),
    use<on::scan, by::single_copy, copies<single_copy_scan>>(long_data),
    use<on::scan, by::two_level, levels<two_level_scan>>(),
    use<on::scan, by::recursive_doubling, messages<scan_doubling>>(more_than(2)),
    use<on::scan, by::linear, messages<scan_linear>>(),

    use<on::exscan, by::between_groups, groups<refuse_scan>>(),
    use<on::exscan, by::copy, alone>(),
    use<on::exscan, by::message, as_message>(up_to(most_in_message)),
    use<on::exscan, by::in_process, in_turns>(in_turn_up_to),
    use<on::exscan, by::pair, as_pair>(up_to(most_in_pair)),
    use<on::exscan, by::shared_memory, slots<slot_exscan>>(scanned_in_slots),
    use<on::exscan, by::single_copy, copies<single_copy_exscan>>(long_data),
    use<on::exscan, by::two_level, levels<two_level_exscan>>(),
    use<on::exscan, by::recursive_doubling, messages<exscan_doubling>>(more_than(2)),
    use<on::exscan, by::linear, messages<exscan_linear>>(),
};

constexpr auto operations = static_cast<std::size_t>(operation::count);

/// The rows of each operation.
constexpr std::array<std::span<const row>, operations> rows_by_operation = [] {
    std::array<std::span<const row>, operations> found;
    for (std::size_t what = 0; what < operations; ++what) {
        const auto *const first = std::ranges::find(table, static_cast<operation>(what), &row::what);
        const auto *last = first;
        while (last != std::end(table) && last->what == first->what) {
            ++last;
        }
        found[what] = {first, last};
    }
    return found;
}();

std::string in_words(const limits &when) {
    std::string text;
    if (when.only_by_setting) {
        text += " only if asked for";
    }
    if (when.most != any_size) {
        text += sentence(" up to ", when.most, " bytes");
    }
    if (when.most_between != 0) {
        text += sentence(" (between processes ", when.most_between, ")");
    }
    if (when.most_ranks_between != any_ranks) {
        text += sentence(" (of more than ", when.most_ranks_between, " ranks ", when.most, ")");
    }
    if (when.least != 0) {
        text += sentence(" from ", when.least, " bytes");
    }
    if (when.least_between != 0) {
        text += sentence(" between processes from ", when.least_between, " bytes");
    }
    if (when.least_ranks != 0) {
        text += sentence(" from ", when.least_ranks, " ranks");
    }
    if (when.least_ranks_between != 0) {
        text += sentence(" between processes from ", when.least_ranks_between, " ranks");
    }
    if (when.most_ranks != any_ranks) {
        text += sentence(" between processes up to ", when.most_ranks, " ranks");
    }
    if (when.in == range_on_mesh) {
        text += sentence(" from ", mesh_least_in_pairs, " bytes in all where pairs meet in each stage, more ",
                         "elsewhere");
    }
    return text;
}

} // namespace

std::span<const row> rows_of(operation what) noexcept {
    return rows_by_operation[static_cast<std::size_t>(what)];
}

size_range range_of(const row &each, const situation &given) noexcept {
    const limits &when = each.when;
    const bool too_many = !given.one_process && given.ranks > when.most_ranks;
    const bool too_few =
        when.least_ranks_between != 0 && (given.one_process || given.ranks < when.least_ranks_between);
    if (when.only_by_setting || given.ranks < when.least_ranks || too_many || too_few) {
        return {any_size, 0};
    }
    if (when.in != nullptr) {
        return when.in(given);
    }
    const bool longer =
        !given.one_process && when.most_between != 0 && given.ranks <= when.most_ranks_between;
    return {given.one_process ? when.least : std::max(when.least, when.least_between),
            longer ? when.most_between : when.most};
}

std::string describe_selection() {
    std::string text;
    for (const row &each : table) {
        text += sentence(description_of(each.what).name, "=", name_of(each.use), in_words(each.when),
                         each.how.words);
        if (const auto choice = asked_for(each.what)) {
            text += sentence(" (forced: ", name_of(*choice), ")");
        }
        text += '\n';
    }
    return text;
}

} // namespace lisle::collective
