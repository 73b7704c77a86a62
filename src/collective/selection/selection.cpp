// SPDX-License-Identifier: Apache-2.0
// The rules for messages follow the literature (Thakur, Rabenseifner, Gropp 2005) where measurements with
// bench/ on one node say nothing else.
#include "collective/selection/selection.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/error.hpp"

namespace lisle::collective {

namespace {

constexpr MPI_Count any_size = INT64_MAX;
constexpr int any_ranks = INT32_MAX;
/// A rule for every operation.
constexpr auto every = operation::count;

/// Applies up to so many bytes and ranks.
struct rule {
    operation what;
    algorithm use;
    MPI_Count most_bytes = any_size;
    int most_ranks = any_ranks;
    bool between_processes = false; ///< only if the ranks are in several processes
};

using enum algorithm;

// Longer data are copied once from buffer to buffer within a process.
constexpr MPI_Count slot_most = 1024;
// Between processes longer data go through pages, which the receiver empties while the sender fills the
// next. Where each rank reduces what all have posted, there may not be many.
constexpr MPI_Count slot_most_between = 16384;
constexpr int slot_most_ranks_between = 4;
// All workers together reduce longer vectors.
constexpr MPI_Count in_process_most = 2048;
// From this size on a call of the kernel costs less than a page.
constexpr MPI_Count single_copy_least_between = 32768;
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
constexpr MPI_Count mesh_least_among_few = 8192;
constexpr MPI_Count mesh_most_among_few = 32768;
// Leaders gather and scatter the blocks of their nodes up to here; longer ones go straight to the root.
constexpr MPI_Count two_level_most_block = 16384;

/// The first rule counts that applies and whose algorithm is possible. The last one of each operation is
/// always possible.
constexpr rule rules[] = {
    {every, between_groups},
    {every, copy},

    {operation::barrier, in_process},
    {operation::barrier, pair},
    {operation::barrier, shared_memory},
    {operation::barrier, two_level},
    {operation::barrier, dissemination},

    {operation::bcast, pair, most_in_pair},
    {operation::bcast, shared_memory, slot_most},
    {operation::bcast, shared_memory, slot_most_between, any_ranks, true},
    {operation::bcast, single_copy},
    {operation::bcast, two_level},
    {operation::bcast, mesh},
    {operation::bcast, binomial, 65536},
    {operation::bcast, binomial, any_size, 2},
    {operation::bcast, pipelined},

    {operation::gather, pair, most_in_pair},
    {operation::gather, shared_memory, slot_most},
    {operation::gather, shared_memory, slot_most_between, any_ranks, true},
    {operation::gather, single_copy},
    {operation::gather, two_level, two_level_most_block},
    {operation::gather, linear, any_size, 2},
    {operation::gather, binomial, 4096}, // longer blocks go to the root directly
    {operation::gather, linear},
    {operation::gatherv, pair, most_in_pair},
    {operation::gatherv, single_copy},
    {operation::gatherv, linear},

    {operation::scatter, pair, most_in_pair},
    {operation::scatter, shared_memory, slot_most},
    {operation::scatter, shared_memory, slot_most_between, any_ranks, true},
    {operation::scatter, single_copy},
    {operation::scatter, two_level, two_level_most_block},
    {operation::scatter, linear, any_size, 2},
    {operation::scatter, binomial, 4096},
    {operation::scatter, linear},
    {operation::scatterv, pair, most_in_pair},
    {operation::scatterv, single_copy},
    {operation::scatterv, linear},

    {operation::allgather, pair, most_in_pair},
    {operation::allgather, shared_memory, slot_most},
    {operation::allgather, shared_memory, slot_most_between, any_ranks, true},
    {operation::allgather, single_copy},
    {operation::allgather, two_level, two_level_most_block},
    {operation::allgather, mesh},
    {operation::allgather, recursive_doubling, 16384},
    {operation::allgather, bruck, 4096},
    {operation::allgather, ring},
    {operation::allgatherv, pair, most_in_pair},
    {operation::allgatherv, shared_memory, slot_most},
    {operation::allgatherv, shared_memory, slot_most_between, any_ranks, true},
    {operation::allgatherv, single_copy},
    {operation::allgatherv, two_level, two_level_most_block},
    {operation::allgatherv, mesh},
    {operation::allgatherv, ring},

    {operation::alltoall, in_process},
    {operation::alltoall, pair, most_in_pair},
    {operation::alltoall, shared_memory, slot_most},
    {operation::alltoall, shared_memory, slot_most_between, any_ranks, true},
    {operation::alltoall, single_copy},
    {operation::alltoall, linear, any_size, 8},
    {operation::alltoall, bruck, 256},
    {operation::alltoall, pairwise},
    {operation::alltoallv, in_process},
    {operation::alltoallv, pair, most_in_pair},
    {operation::alltoallv, single_copy},
    {operation::alltoallv, linear, any_size, 8},
    {operation::alltoallv, pairwise},

    {operation::reduce, pair, most_in_pair},
    {operation::reduce, shared_memory, slot_most},
    {operation::reduce, shared_memory, slot_most_between, slot_most_ranks_between, true},
    {operation::reduce, single_copy},
    {operation::reduce, two_level},
    {operation::reduce, mesh},
    {operation::reduce, binomial, 65536},
    {operation::reduce, reduce_scatter_allgather},
    {operation::reduce, binomial},

    {operation::allreduce, in_process, in_process_most},
    {operation::allreduce, pair, most_in_pair},
    {operation::allreduce, shared_memory, slot_most},
    {operation::allreduce, shared_memory, slot_most_between, slot_most_ranks_between, true},
    {operation::allreduce, single_copy},
    {operation::allreduce, two_level},
    {operation::allreduce, mesh},
    {operation::allreduce, recursive_doubling, 8192},
    {operation::allreduce, reduce_scatter_allgather},
    {operation::allreduce, recursive_doubling},

    {operation::reduce_scatter, shared_memory, slot_most},
    {operation::reduce_scatter, shared_memory, slot_most_between, slot_most_ranks_between, true},
    {operation::reduce_scatter, single_copy},
    {operation::reduce_scatter, two_level},
    {operation::reduce_scatter, mesh},
    {operation::reduce_scatter, pairwise, any_size, 2},
    {operation::reduce_scatter, recursive_halving, 262144},
    {operation::reduce_scatter, pairwise},
    {operation::reduce_scatter, by_root},

    {operation::scan, message, any_size, 2},
    {operation::scan, in_process, in_process_most},
    {operation::scan, pair, most_in_pair},
    {operation::scan, shared_memory, 16384},
    {operation::scan, single_copy},
    {operation::scan, two_level},
    {operation::scan, linear, any_size, 2},
    {operation::scan, recursive_doubling},

    {operation::exscan, message, any_size, 2},
    {operation::exscan, in_process, in_process_most},
    {operation::exscan, pair, most_in_pair},
    {operation::exscan, shared_memory, 16384},
    {operation::exscan, single_copy},
    {operation::exscan, two_level},
    {operation::exscan, linear, any_size, 2},
    {operation::exscan, recursive_doubling},
};

/// Whether ranks of one process whose data do not fit the rules before copy them from each other's buffers.
constexpr bool copies_within_process(operation what) noexcept {
    for (const rule &each : rules) {
        const bool before =
            each.use == message || each.use == in_process || each.use == pair || each.use == shared_memory;
        if (each.what == what && !before) {
            return each.use == single_copy;
        }
    }
    return false;
}

constexpr shortlist shorten(operation what) noexcept {
    shortlist found{.single_copy_within = copies_within_process(what)};
    bool more = true;
    for (const rule &each : rules) {
        if (each.what != what) {
            continue;
        }
        found.two_level |= each.use == two_level;
        if (!more) {
            continue;
        }
        const bool posts = found.shared_memory != -1;
        switch (each.use) {
        case message:
            found.message = true;
            break;
        case in_process:
            found.in_process = each.most_bytes;
            break;
        case pair:
            found.pair = each.most_bytes;
            break;
        default:
            if (each.use == shared_memory && !posts && each.most_ranks == any_ranks) {
                found.shared_memory = each.most_bytes;
            } else {
                found.single_copy = each.use == single_copy && !posts;
                more = false;
            }
        }
    }
    return found;
}

constexpr auto operations = static_cast<std::size_t>(operation::count);

/// Where the rules of each operation begin.
constexpr std::array<const rule *, operations> first_rules = [] {
    std::array<const rule *, operations> found{};
    for (std::size_t what = 0; what < operations; ++what) {
        found[what] = std::ranges::find(rules, static_cast<operation>(what), &rule::what);
    }
    return found;
}();

/// What an algorithm cannot do without.
bool possible(algorithm use, const situation &given) noexcept {
    switch (use) {
    case between_groups:
        return given.inter;
    case algorithm::copy:
        return given.ranks == 1 && !given.inter;
    case pair:
        return given.pair && given.plain();
    case shared_memory:
        return given.shared_memory;
    case single_copy:
        return given.single_copy;
    case in_process:
        return given.in_process && given.predefined;
    case message:
        return given.message && given.plain();
    case recursive_doubling:
        return given.what != operation::allgather || std::has_single_bit(static_cast<unsigned>(given.ranks));
    case two_level:
        switch (given.what) {
        case operation::reduce:
        case operation::allreduce:
            return given.several_places && (given.commutative || given.places_in_order);
        case operation::reduce_scatter:
        case operation::scan:
        case operation::exscan:
            return given.several_places && given.places_in_order;
        default:
            return given.several_places;
        }
    case mesh:
        return given.mesh && given.commutative;
    case ring:
        return given.what != operation::allreduce || given.commutative;
    case reduce_scatter_allgather:
    case recursive_halving:
    case pairwise:
        return given.commutative;
    default:
        return true;
    }
}

std::optional<algorithm> forced(operation what) {
    const std::int64_t value = is_forced(what) ? value_of(algorithm_of(what)) : 0;
    return value == 0 ? std::nullopt
                      : std::optional{description_of(what).offered[static_cast<std::size_t>(value - 1)]};
}

bool gathers_blocks(const situation &given) noexcept {
    return given.what == operation::allgather || given.what == operation::allgatherv;
}

/// The bytes that a rule's limit is about.
MPI_Count size_for(algorithm use, const situation &given) noexcept {
    return use == pair                            ? given.for_other
           : use == mesh && gathers_blocks(given) ? given.ranks * given.bytes
                                                  : given.bytes;
}

/// From so many bytes in all on, the stages of a mesh are worth their messages.
MPI_Count least_on_mesh(const situation &given) noexcept {
    if (given.ranks <= mesh_few_ranks && given.what != operation::allreduce) {
        const bool pays = given.what == operation::reduce && given.bytes <= mesh_most_among_few;
        return pays ? mesh_least_among_few : any_size;
    }
    if (given.in_pairs) {
        return mesh_least_in_pairs;
    }
    if (gathers_blocks(given)) {
        return given.bytes <= mesh_most_block ? mesh_least_to_gather : any_size;
    }
    return given.what == operation::bcast ? mesh_least_to_move : mesh_least_to_reduce;
}

bool fits(const rule &use, const situation &given) noexcept {
    // Unknown sizes count as long ones: the algorithm finds out.
    const bool too_short = (use.use == single_copy && !given.one_process && given.bytes != 0 &&
                            given.bytes < single_copy_least_between) ||
                           (use.use == mesh && size_for(mesh, given) < least_on_mesh(given));
    return size_for(use.use, given) <= use.most_bytes && given.ranks <= use.most_ranks && !too_short &&
           !(use.between_processes && given.one_process) && possible(use.use, given);
}

std::string conditions_of(const rule &each) {
    switch (each.use) {
    case between_groups:
        return " of an inter-communicator";
    case algorithm::copy:
        return " if there is one rank";
    case pair:
        return " if there are two ranks, plain data, blocking";
    case shared_memory:
        return sentence(each.between_processes ? " between processes" : "",
                        " if it fits the collective area");
    case single_copy:
        return sentence(" within a process, or from ", single_copy_least_between, " bytes");
    case in_process:
        return " among fibers of a process or threads that share cores, blocking";
    case message:
        return sentence(" of plain data up to ", most_in_message, " bytes, blocking");
    case mesh:
        return sentence(" from ", mesh_least_in_pairs, " bytes in all where pairs meet in each stage, more ",
                        "elsewhere, if the ranks lie on a mesh of tiles");
    case two_level:
        return " if the ranks are on several nodes (or processes), and several on some";
    default:
        return {};
    }
}

} // namespace

constinit const std::array<shortlist, operations> detail::shortlists = [] {
    std::array<shortlist, operations> found{};
    for (std::size_t what = 0; what < operations; ++what) {
        found[what] = shorten(static_cast<operation>(what));
    }
    return found;
}();

bool detail::is_forced(operation what) noexcept {
    return value_of(algorithm_of(what)) != 0;
}

algorithm choose(const situation &given) {
    // What no setting chooses comes first in the table.
    const rule *applies = rules;
    for (; applies->what == every; ++applies) {
        if (fits(*applies, given)) {
            return applies->use;
        }
    }
    if (const auto choice = forced(given.what); choice && possible(*choice, given)) {
        return *choice;
    }
    applies = first_rules[static_cast<std::size_t>(given.what)];
    while (!fits(*applies, given)) {
        ++applies;
    }
    return applies->use;
}

std::string describe_selection() {
    std::string text;
    for (const rule &each : rules) {
        const bool general = each.what == every;
        text += sentence(general ? "any collective" : description_of(each.what).name, "=", name_of(each.use));
        if (each.most_bytes != any_size) {
            text += sentence(" up to ", each.most_bytes, " bytes");
        }
        if (each.most_ranks != any_ranks) {
            text += sentence(" up to ", each.most_ranks, " ranks");
        }
        text += conditions_of(each);
        if (const auto choice = general ? std::nullopt : forced(each.what)) {
            text += sentence(" (forced: ", name_of(*choice), ")");
        }
        text += '\n';
    }
    return text;
}

} // namespace lisle::collective
