// SPDX-License-Identifier: Apache-2.0
// The thresholds are those of the literature (Thakur, Rabenseifner, Gropp 2005), not yet measured here.
#include "collective/selection.hpp"

#include <bit>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>

namespace lisle::collective {

namespace {

constexpr MPI_Count most_relayed_block = 4096; ///< longer blocks go to and from the root directly
constexpr MPI_Count most_logarithmic = 81920;  ///< longer results of allgather go round the ring
constexpr MPI_Count most_doubled = 65536;      ///< longer vectors are reduced once and broadcast
constexpr int few_ranks = 4;                   ///< among which recursive doubling is never much work
constexpr MPI_Count least_pairwise = 262144;   ///< shorter vectors are reduced at one rank and spread
constexpr int most_at_once = 8;                ///< ranks whose messages of an alltoall all begin at once

/// The choice that an environment variable names, if it names one. @param names in the order of the enum
template <class Algorithm>
std::optional<Algorithm> forced(const char *variable, std::initializer_list<std::string_view> names) {
    const char *const value = std::getenv(variable);
    if (value == nullptr) {
        return std::nullopt;
    }
    unsigned char index = 0;
    for (const auto name : names) {
        if (name == value) {
            return static_cast<Algorithm>(index);
        }
        ++index;
    }
    return std::nullopt;
}

} // namespace

// The environment is read once: it does not change after the launch, and reading it is no thread's right
// while another may call setenv.

barrier_algorithm choose_barrier() {
    static const auto choice = forced<barrier_algorithm>("LISLE_BARRIER", {"dissemination", "linear"});
    return choice.value_or(barrier_algorithm::dissemination);
}

bcast_algorithm choose_bcast() {
    static const auto choice = forced<bcast_algorithm>("LISLE_BCAST", {"binomial", "linear"});
    return choice.value_or(bcast_algorithm::binomial);
}

gather_algorithm choose_gather(int ranks, MPI_Count block) {
    static const auto choice = forced<gather_algorithm>("LISLE_GATHER", {"binomial", "linear"});
    const bool relay = ranks > 2 && block <= most_relayed_block;
    return choice.value_or(relay ? gather_algorithm::binomial : gather_algorithm::linear);
}

scatter_algorithm choose_scatter(int ranks, MPI_Count block) {
    static const auto choice = forced<scatter_algorithm>("LISLE_SCATTER", {"binomial", "linear"});
    const bool relay = ranks > 2 && block <= most_relayed_block;
    return choice.value_or(relay ? scatter_algorithm::binomial : scatter_algorithm::linear);
}

allgather_algorithm choose_allgather(int ranks, MPI_Count total) {
    static const auto choice =
        forced<allgather_algorithm>("LISLE_ALLGATHER", {"bruck", "recursive_doubling", "ring"});
    const bool doubles = std::has_single_bit(static_cast<unsigned>(ranks));
    if (choice && (doubles || *choice != allgather_algorithm::recursive_doubling)) {
        return *choice;
    }
    if (total > most_logarithmic) {
        return allgather_algorithm::ring;
    }
    return doubles ? allgather_algorithm::recursive_doubling : allgather_algorithm::bruck;
}

alltoall_algorithm choose_alltoall(int ranks) {
    static const auto choice = forced<alltoall_algorithm>("LISLE_ALLTOALL", {"pairwise", "linear"});
    return choice.value_or(ranks <= most_at_once ? alltoall_algorithm::linear : alltoall_algorithm::pairwise);
}

reduce_algorithm choose_reduce() {
    static const auto choice = forced<reduce_algorithm>("LISLE_REDUCE", {"binomial", "linear"});
    return choice.value_or(reduce_algorithm::binomial);
}

allreduce_algorithm choose_allreduce(int ranks, MPI_Count bytes) {
    static const auto choice =
        forced<allreduce_algorithm>("LISLE_ALLREDUCE", {"recursive_doubling", "reduce_bcast"});
    const bool doubling = ranks <= few_ranks || bytes <= most_doubled;
    return choice.value_or(doubling ? allreduce_algorithm::recursive_doubling
                                    : allreduce_algorithm::reduce_bcast);
}

reduce_scatter_algorithm choose_reduce_scatter(MPI_Count total, bool commutative) {
    static const auto choice =
        forced<reduce_scatter_algorithm>("LISLE_REDUCE_SCATTER", {"by_root", "pairwise"});
    if (!commutative) {
        return reduce_scatter_algorithm::by_root;
    }
    return choice.value_or(total < least_pairwise ? reduce_scatter_algorithm::by_root
                                                  : reduce_scatter_algorithm::pairwise);
}

scan_algorithm choose_scan() {
    static const auto choice = forced<scan_algorithm>("LISLE_SCAN", {"doubling", "linear"});
    return choice.value_or(scan_algorithm::doubling);
}

} // namespace lisle::collective
