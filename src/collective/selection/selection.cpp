// SPDX-License-Identifier: Apache-2.0
// The rules for messages follow the literature (Thakur, Rabenseifner, Gropp 2005) where measurements with
// bench/ on one node say nothing else.
#include "collective/selection/selection.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.hpp"

namespace lisle::collective {

namespace {

constexpr MPI_Count any_size = INT64_MAX;
constexpr int any_ranks = INT32_MAX;

/// Applies up to so many bytes and ranks, and perhaps only if the ranks live in several processes.
struct rule {
    operation what;
    algorithm use;
    MPI_Count most_bytes = any_size;
    int most_ranks = any_ranks;
    bool far = false;
};

using enum algorithm;

// Longer data are copied once from buffer to buffer within a process.
constexpr MPI_Count board_most = 1024;
// Between processes still longer ones travel as packets, which the receiver empties while the sender fills
// the next. Where each rank reduces what all have posted, they may not be many.
constexpr MPI_Count board_far = 16384;
constexpr int board_far_ranks = 4;
// Longer vectors are reduced by all workers at once.
constexpr MPI_Count meeting_most = 2048;
// From this size on calls of the kernel cost less than that.
constexpr MPI_Count far_least = 32768;

/// The first rule that applies and whose algorithm is possible counts. The last one of each operation
/// always is.
constexpr rule rules[] = {
    {operation::barrier, meeting},
    {operation::barrier, board},
    {operation::barrier, two_level},
    {operation::barrier, dissemination},

    {operation::bcast, board, board_most},
    {operation::bcast, board, board_far, any_ranks, true},
    {operation::bcast, direct},
    {operation::bcast, two_level},
    {operation::bcast, binomial, 65536},
    {operation::bcast, binomial, any_size, 2},
    {operation::bcast, pipelined},

    {operation::gather, board, board_most},
    {operation::gather, board, board_far, any_ranks, true},
    {operation::gather, direct},
    {operation::gather, linear, any_size, 2},
    {operation::gather, binomial, 4096}, // longer blocks go to the root directly
    {operation::gather, linear},
    {operation::gatherv, direct},
    {operation::gatherv, linear},

    {operation::scatter, board, board_most},
    {operation::scatter, board, board_far, any_ranks, true},
    {operation::scatter, direct},
    {operation::scatter, linear, any_size, 2},
    {operation::scatter, binomial, 4096},
    {operation::scatter, linear},
    {operation::scatterv, direct},
    {operation::scatterv, linear},

    {operation::allgather, board, board_most},
    {operation::allgather, board, board_far, any_ranks, true},
    {operation::allgather, direct},
    {operation::allgather, recursive_doubling, 16384},
    {operation::allgather, bruck, 4096},
    {operation::allgather, ring},
    {operation::allgatherv, board, board_most},
    {operation::allgatherv, board, board_far, any_ranks, true},
    {operation::allgatherv, direct},
    {operation::allgatherv, ring},

    {operation::alltoall, meeting},
    {operation::alltoall, board, board_most},
    {operation::alltoall, board, board_far, any_ranks, true},
    {operation::alltoall, direct},
    {operation::alltoall, linear, any_size, 8},
    {operation::alltoall, bruck, 256},
    {operation::alltoall, pairwise},
    {operation::alltoallv, meeting},
    {operation::alltoallv, direct},
    {operation::alltoallv, linear, any_size, 8},
    {operation::alltoallv, pairwise},

    {operation::reduce, board, board_most},
    {operation::reduce, board, board_far, board_far_ranks, true},
    {operation::reduce, direct},
    {operation::reduce, two_level},
    {operation::reduce, binomial, 65536},
    {operation::reduce, reduce_scatter_allgather},
    {operation::reduce, binomial},

    {operation::allreduce, meeting, meeting_most},
    {operation::allreduce, board, board_most},
    {operation::allreduce, board, board_far, board_far_ranks, true},
    {operation::allreduce, direct},
    {operation::allreduce, two_level},
    {operation::allreduce, recursive_doubling, 8192},
    {operation::allreduce, reduce_scatter_allgather},
    {operation::allreduce, recursive_doubling},

    {operation::reduce_scatter, board, board_most},
    {operation::reduce_scatter, board, board_far, board_far_ranks, true},
    {operation::reduce_scatter, direct},
    {operation::reduce_scatter, pairwise, any_size, 2},
    {operation::reduce_scatter, recursive_halving, 262144},
    {operation::reduce_scatter, pairwise},
    {operation::reduce_scatter, by_root},

    {operation::scan, message, any_size, 2},
    {operation::scan, meeting, meeting_most},
    {operation::scan, board, 16384},
    {operation::scan, direct},
    {operation::scan, linear, any_size, 2},
    {operation::scan, recursive_doubling},

    {operation::exscan, message, any_size, 2},
    {operation::exscan, meeting, meeting_most},
    {operation::exscan, board, 16384},
    {operation::exscan, direct},
    {operation::exscan, linear, any_size, 2},
    {operation::exscan, recursive_doubling},
};

constexpr std::array<const char *, 18> names{"board",
                                             "direct",
                                             "linear",
                                             "binomial",
                                             "pipelined",
                                             "scatter_allgather",
                                             "dissemination",
                                             "recursive_doubling",
                                             "recursive_halving",
                                             "reduce_scatter_allgather",
                                             "bruck",
                                             "ring",
                                             "pairwise",
                                             "reduce_bcast",
                                             "by_root",
                                             "two_level",
                                             "meeting",
                                             "message"};

constexpr auto operations = static_cast<std::size_t>(operation::count);

constexpr first_choices find_first_choices(operation what) noexcept {
    first_choices found;
    bool more = true;
    for (const rule &each : rules) {
        if (each.what != what) {
            continue;
        }
        found.two_levels |= each.use == two_level;
        if (!more || each.use == message) {
            continue;
        }
        const bool posts = found.board != -1;
        if (each.use == meeting && !posts) {
            found.meeting = each.most_bytes;
        } else if (each.use == board && !posts && each.most_ranks == any_ranks) {
            found.board = each.most_bytes;
        } else {
            found.direct = each.use == direct && !posts;
            more = false;
        }
    }
    return found;
}

/// What an algorithm cannot do without.
bool possible(algorithm use, const situation &given) noexcept {
    switch (use) {
    case board:
        return given.board;
    case direct:
        return given.direct;
    case meeting:
        return given.meeting;
    case message:
        return given.message;
    case recursive_doubling:
        return given.what != operation::allgather || std::has_single_bit(static_cast<unsigned>(given.ranks));
    case two_level:
        return given.two_levels && given.commutative;
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
    if (all_changeable_are_default() || !detail::is_forced(what)) [[likely]] {
        return std::nullopt;
    }
    const auto word = word_of(algorithm_of(what));
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (word == names[i]) {
            return static_cast<algorithm>(i);
        }
    }
    return std::nullopt;
}

bool fits(const rule &use, const situation &given) noexcept {
    // Unknown sizes count as long ones: the algorithm finds out.
    const bool too_short =
        use.use == direct && !given.one_process && given.bytes != 0 && given.bytes < far_least;
    return given.bytes <= use.most_bytes && given.ranks <= use.most_ranks && !too_short &&
           !(use.far && given.one_process) && possible(use.use, given);
}

} // namespace

constinit const std::array<first_choices, operations> detail::first_choices_of = [] {
    std::array<first_choices, operations> found{};
    for (std::size_t what = 0; what < operations; ++what) {
        found[what] = find_first_choices(static_cast<operation>(what));
    }
    return found;
}();

bool detail::is_forced(operation what) noexcept {
    const setting which = algorithm_of(what);
    return value_of(which) != description_of(which).default_value;
}

algorithm choose(const situation &given) {
    static const auto first_rules = [] {
        std::array<const rule *, operations> found{};
        for (const rule &each : rules) {
            auto &first = found[static_cast<std::size_t>(each.what)];
            first = first != nullptr ? first : &each;
        }
        return found;
    }();
    if (const auto choice = forced(given.what); choice && possible(*choice, given)) {
        return *choice;
    }
    const rule *applies = first_rules[static_cast<std::size_t>(given.what)];
    while (!fits(*applies, given)) {
        ++applies;
    }
    return applies->use;
}

bool prefers_message(operation what) noexcept {
    return forced(what).value_or(message) == message;
}

std::string describe_selection() {
    std::string text;
    for (const rule &each : rules) {
        const setting which = algorithm_of(each.what);
        text += sentence(description_of(which).variable, "=", names[static_cast<std::size_t>(each.use)]);
        if (each.most_bytes != any_size) {
            text += sentence(" up to ", each.most_bytes, " bytes");
        }
        if (each.most_ranks != any_ranks) {
            text += sentence(" up to ", each.most_ranks, " ranks");
        }
        const std::string need = each.use == algorithm::board
                                     ? sentence(each.far ? " between processes" : "", " if it fits a board")
                                 : each.use == algorithm::direct
                                     ? sentence(" within a process, or from ", far_least, " bytes")
                                 : each.use == algorithm::meeting
                                     ? " among fibers of a process or threads that share cores, blocking"
                                 : each.use == algorithm::message
                                     ? sentence(" of plain data up to ", most_in_message, " bytes, blocking")
                                     : "";
        text += sentence(need, forced(each.what) ? " (forced: " : "",
                         forced(each.what) ? names[static_cast<std::size_t>(*forced(each.what))] : "",
                         forced(each.what) ? ")\n" : "\n");
    }
    return text;
}

} // namespace lisle::collective
