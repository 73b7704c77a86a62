// SPDX-License-Identifier: Apache-2.0
// The collectives that have a choice of algorithms, and the names of the algorithms, as the setting
// (LISLE_COLLECTIVES=bcast=binomial) and what LISLE_SHOW=collectives prints have them. Algorithms are rows of
// collective/selection/table.cpp, which the build reads for their names, so that layers below it know them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace lisle {

/// The forms with a block length for each rank are apart, since their ranks do not know each other's sizes.
enum class collective_operation : unsigned char {
    barrier,
    bcast,
    gather,
    gatherv,
    scatter,
    scatterv,
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    reduce,
    allreduce,
    reduce_scatter,
    scan,
    exscan,
    count,
};

// collective_algorithm, collective_algorithm_names in the order of that enumeration, and for each operation
// the algorithms that a setting can force (algorithms_of_bcast, ...): made by tools/generate_names.py.
#include "base/algorithm_names.inc"

[[nodiscard]] constexpr std::string_view name_of(collective_algorithm which) noexcept {
    return collective_algorithm_names[static_cast<std::size_t>(which)];
}

/// A collective with the algorithms that a setting can force, in the order of the setting's values: value 0
/// is `auto`, value n the nth algorithm.
struct collective_operation_description {
    [[nodiscard]] constexpr bool offers(collective_algorithm one) const noexcept {
        return std::ranges::find(offered, one) != offered.end();
    }

    collective_operation which;
    std::string_view name;      ///< as LISLE_COLLECTIVES names it
    std::string_view functions; ///< the calls that it is about
    std::span<const collective_algorithm> offered;
};

/// In the order of the enumeration.
inline constexpr std::array<collective_operation_description,
                            static_cast<std::size_t>(collective_operation::count)>
    collective_operations{{
        {collective_operation::barrier, "barrier", "barrier", algorithms_of_barrier},
        {collective_operation::bcast, "bcast", "bcast", algorithms_of_bcast},
        {collective_operation::gather, "gather", "gather", algorithms_of_gather},
        {collective_operation::gatherv, "gatherv", "gatherv", algorithms_of_gatherv},
        {collective_operation::scatter, "scatter", "scatter", algorithms_of_scatter},
        {collective_operation::scatterv, "scatterv", "scatterv", algorithms_of_scatterv},
        {collective_operation::allgather, "allgather", "allgather", algorithms_of_allgather},
        {collective_operation::allgatherv, "allgatherv", "allgatherv", algorithms_of_allgatherv},
        {collective_operation::alltoall, "alltoall", "alltoall", algorithms_of_alltoall},
        {collective_operation::alltoallv, "alltoallv", "alltoallv and alltoallw", algorithms_of_alltoallv},
        {collective_operation::reduce, "reduce", "reduce", algorithms_of_reduce},
        {collective_operation::allreduce, "allreduce", "allreduce", algorithms_of_allreduce},
        {collective_operation::reduce_scatter, "reduce_scatter", "reduce_scatter and reduce_scatter_block",
         algorithms_of_reduce_scatter},
        {collective_operation::scan, "scan", "scan", algorithms_of_scan},
        {collective_operation::exscan, "exscan", "exscan", algorithms_of_exscan},
    }};

static_assert(std::ranges::all_of(collective_operations, [row = std::size_t{0}](const auto &each) mutable {
    return static_cast<std::size_t>(each.which) == row++;
}));

[[nodiscard]] constexpr const collective_operation_description &
description_of(collective_operation what) noexcept {
    return collective_operations[static_cast<std::size_t>(what)];
}

} // namespace lisle
