// SPDX-License-Identifier: Apache-2.0
// The collectives that have a choice of algorithms, and the names of the algorithms. This is the only place
// that spells the names: the setting (LISLE_COLLECTIVES=bcast=binomial), what LISLE_SHOW=collectives prints
// and the table in mpi/docs/design/collectives.md are made from it. When each algorithm is used says
// collective/selection/table.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
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

enum class collective_algorithm : unsigned char {
    copy,
    between_groups,
    pair,
    message,
    in_process,
    shared_memory,
    single_copy,
    two_level,
    mesh,
    linear,
    binomial,
    pipelined,
    scatter_allgather,
    dissemination,
    recursive_doubling,
    recursive_halving,
    reduce_scatter_allgather,
    reduce_bcast,
    bruck,
    ring,
    pairwise,
    by_root,
    count,
};

struct collective_algorithm_description {
    collective_algorithm which;
    std::string_view name;
    std::string_view meaning; ///< one line, with the paper where there is one
};

/// In the order of the enumeration.
inline constexpr std::array<collective_algorithm_description,
                            static_cast<std::size_t>(collective_algorithm::count)>
    collective_algorithms{{
        {collective_algorithm::copy, "copy", "the only rank copies what it sends to where it receives it"},
        {collective_algorithm::between_groups, "between_groups",
         "messages between the two groups of an inter-communicator"},
        {collective_algorithm::pair, "pair",
         "two ranks exchange short data through slots, without a schedule"},
        {collective_algorithm::message, "message", "a scan of two ranks is one or two short messages"},
        {collective_algorithm::in_process, "in_process",
         "ranks that take turns on cores of one process: the last one to arrive does the work of several"},
        {collective_algorithm::shared_memory, "shared_memory",
         "through the slots of the shared-memory collective area"},
        {collective_algorithm::single_copy, "single_copy",
         "straight between the buffers of the ranks, by address or with process_vm_readv"},
        {collective_algorithm::two_level, "two_level",
         "within each node (or process) first, one leader of each for what crosses (Karonis et al. 2000)"},
        {collective_algorithm::mesh, "mesh",
         "on a mesh of tiles: between near ranks first, cut to pieces before the long ways (Barnett et al. "
         "1995)"},
        {collective_algorithm::linear, "linear", "the root exchanges a message with each rank"},
        {collective_algorithm::binomial, "binomial", "binomial tree (Thakur, Rabenseifner, Gropp 2005)"},
        {collective_algorithm::pipelined, "pipelined", "chain of ranks that pass segments on"},
        {collective_algorithm::scatter_allgather, "scatter_allgather",
         "scatter, then allgather (Barnett et al. 1994)"},
        {collective_algorithm::dissemination, "dissemination",
         "dissemination barrier (Hensgen, Finkel, Manber 1988)"},
        {collective_algorithm::recursive_doubling, "recursive_doubling",
         "recursive doubling (Thakur, Rabenseifner, Gropp 2005; scans: Hillis, Steele 1986)"},
        {collective_algorithm::recursive_halving, "recursive_halving",
         "recursive halving (Thakur, Rabenseifner, Gropp 2005)"},
        {collective_algorithm::reduce_scatter_allgather, "reduce_scatter_allgather",
         "reduce_scatter, then gather or allgather (Rabenseifner 2004)"},
        {collective_algorithm::reduce_bcast, "reduce_bcast", "reduce to rank 0, then bcast"},
        {collective_algorithm::bruck, "bruck", "Bruck's algorithm (Bruck et al. 1997)"},
        {collective_algorithm::ring, "ring", "ring (Patarasuk, Yuan 2009)"},
        {collective_algorithm::pairwise, "pairwise", "pairwise exchange (Thakur, Rabenseifner, Gropp 2005)"},
        {collective_algorithm::by_root, "by_root", "reduce to rank 0, then scatter"},
    }};

[[nodiscard]] constexpr std::string_view name_of(collective_algorithm which) noexcept {
    return collective_algorithms[static_cast<std::size_t>(which)].name;
}

/// A collective with the algorithms that a setting can force, in the order of the setting's values: value 0
/// is `auto`, value n the nth algorithm.
struct collective_operation_description {
    static constexpr std::size_t most = 10;

    template <class... Algorithm>
    constexpr collective_operation_description(collective_operation what, std::string_view operation,
                                               std::string_view calls, Algorithm... offers) noexcept
        : which{what}, name{operation}, functions{calls}, offered{offers...}, count{sizeof...(offers)} {}

    [[nodiscard]] constexpr bool offers(collective_algorithm one) const noexcept {
        return std::find(offered.begin(), offered.begin() + count, one) != offered.begin() + count;
    }

    collective_operation which;
    std::string_view name;      ///< as LISLE_COLLECTIVES names it
    std::string_view functions; ///< the calls that it is about
    std::array<collective_algorithm, most> offered;
    std::size_t count;
};

namespace detail {

constexpr auto make_collective_operations() noexcept {
    using enum collective_algorithm;
    using op = collective_operation;
    using about = collective_operation_description;
    return std::array<about, static_cast<std::size_t>(op::count)>{
        about{op::barrier, "barrier", "barrier", shared_memory, two_level, dissemination, linear, in_process},
        about{op::bcast, "bcast", "bcast", shared_memory, single_copy, two_level, mesh, binomial, pipelined,
              scatter_allgather, linear, in_process},
        about{op::gather, "gather", "gather", shared_memory, single_copy, two_level, binomial, linear,
              in_process},
        about{op::gatherv, "gatherv", "gatherv", single_copy, linear, in_process},
        about{op::scatter, "scatter", "scatter", shared_memory, single_copy, two_level, binomial, linear,
              in_process},
        about{op::scatterv, "scatterv", "scatterv", single_copy, linear, in_process},
        about{op::allgather, "allgather", "allgather", shared_memory, single_copy, two_level, mesh,
              recursive_doubling, bruck, ring, in_process},
        about{op::allgatherv, "allgatherv", "allgatherv", shared_memory, single_copy, two_level, mesh, ring,
              in_process},
        about{op::alltoall, "alltoall", "alltoall", shared_memory, single_copy, bruck, pairwise, linear,
              in_process},
        about{op::alltoallv, "alltoallv", "alltoallv and alltoallw", single_copy, pairwise, linear,
              in_process},
        about{op::reduce, "reduce", "reduce", shared_memory, single_copy, two_level, mesh, binomial,
              reduce_scatter_allgather, linear},
        about{op::allreduce, "allreduce", "allreduce", shared_memory, single_copy, two_level, mesh,
              recursive_doubling, reduce_scatter_allgather, ring, reduce_bcast, in_process},
        about{op::reduce_scatter, "reduce_scatter", "reduce_scatter and reduce_scatter_block", shared_memory,
              single_copy, two_level, mesh, recursive_halving, pairwise, by_root},
        about{op::scan, "scan", "scan", shared_memory, single_copy, two_level, recursive_doubling, linear,
              in_process, message},
        about{op::exscan, "exscan", "exscan", shared_memory, single_copy, two_level, recursive_doubling,
              linear, in_process, message},
    };
}

/// True if row `i` of a table describes number `i` of its enumeration.
constexpr bool in_order(const auto &table) noexcept {
    std::size_t row = 0;
    return std::all_of(table.begin(), table.end(),
                       [&row](const auto &each) { return static_cast<std::size_t>(each.which) == row++; });
}

} // namespace detail

/// In the order of the enumeration.
inline constexpr auto collective_operations = detail::make_collective_operations();

static_assert(detail::in_order(collective_algorithms) && detail::in_order(collective_operations));

[[nodiscard]] constexpr const collective_operation_description &
description_of(collective_operation what) noexcept {
    return collective_operations[static_cast<std::size_t>(what)];
}

} // namespace lisle
