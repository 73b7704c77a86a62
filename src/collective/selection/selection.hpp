// SPDX-License-Identifier: Apache-2.0
// Which algorithm a collective uses: one table by operation, size, ranks, where the ranks are, and what the
// operation allows. All ranks of a communicator must choose alike, so only values that they share count.
// Each choice can be forced by a setting (LISLE_BCAST=linear), which all ranks must then have; an algorithm
// that a call does not allow is not forced.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "mpi.h"
#include "base/settings.hpp"

namespace lisle::collective {

using operation = collective_operation;

enum class algorithm : unsigned char {
    board,
    direct,
    linear,
    binomial,
    pipelined,
    scatter_allgather,
    dissemination,
    recursive_doubling,
    recursive_halving,
    reduce_scatter_allgather,
    bruck,
    ring,
    pairwise,
    reduce_bcast,
    by_root,
    two_level,
    meeting,
    message
};

/// The most bytes of a scan that goes by messages. 64 bytes take 83 ns so, on a board 175; 8 bytes took 117
/// and 170. More than two messages are slower than that.
inline constexpr MPI_Count most_in_message = 64;

/// What a choice may depend on.
struct situation {
    operation what;
    /// Bytes of the vector (bcast, reductions) or of one block; 0 if ranks do not know them of each other.
    MPI_Count bytes = 0;
    /// The most that a rank would post on a board.
    MPI_Count posted = 0;
    int ranks = 1;
    bool board = false;       ///< the ranks have one that takes what is posted
    bool direct = false;      ///< they have one and can use each other's buffers
    bool one_process = false; ///< by their addresses
    bool plain = true;        ///< elements of the vector lie without gaps
    bool commutative = true;
    bool meeting = false;    ///< all take turns in one process, and the call blocks
    bool message = false;    ///< there are two, with plain data, and the call blocks
    bool two_levels = false; ///< the ranks live in several places, and several in some
};

[[nodiscard]] algorithm choose(const situation &given);

/// What the rules say first of an operation: all that most calls have to ask.
struct first_choices {
    /// Up to so many bytes these are chosen wherever they are possible, in this order; -1: they are not.
    MPI_Count meeting = -1, board = -1;
    bool direct = false;     ///< first of the rest, if ranks do not know each other's sizes
    bool two_levels = false; ///< has an algorithm for ranks that live in several places
};
namespace detail {
extern const std::array<first_choices, static_cast<std::size_t>(operation::count)> first_choices_of;
[[nodiscard]] bool is_forced(operation what) noexcept;
} // namespace detail

/// Null: a setting forces an algorithm. Asked for each call, since a tool may change it.
[[nodiscard]] inline const first_choices *usual(operation what) noexcept {
    if (!all_changeable_are_default() && detail::is_forced(what)) [[unlikely]] {
        return nullptr;
    }
    return &detail::first_choices_of[static_cast<std::size_t>(what)];
}
[[nodiscard]] inline bool has_two_levels(operation what) noexcept {
    return detail::first_choices_of[static_cast<std::size_t>(what)].two_levels;
}
/// True if it is messages wherever situation::message is set, if there are rules for that.
[[nodiscard]] bool prefers_message(operation what) noexcept;

/// The table in words, a line for each rule, with what settings force.
[[nodiscard]] std::string describe_selection();

} // namespace lisle::collective
