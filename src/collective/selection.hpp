// SPDX-License-Identifier: Apache-2.0
// Which algorithm a collective uses: one table by operation, size, ranks, where the ranks are, and what the
// operation allows. All ranks of a communicator must choose alike, so only values that they share count.
// Each choice can be forced by a setting (LISLE_BCAST=linear), which all ranks must then have; an algorithm
// that a call does not allow is not forced.
#pragma once

#include <string>

#include "mpi.h"
#include "runtime/settings.hpp"

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
/// True if that is a board wherever the ranks have one that takes the data: most calls need to ask no more.
[[nodiscard]] bool prefers_board(operation what, MPI_Count bytes) noexcept;

/// True if it is messages wherever situation::message is set, if there are rules for that.
[[nodiscard]] bool prefers_message(operation what) noexcept;

/// True if it is direct wherever ranks can use each other's buffers, if their sizes are not known.
[[nodiscard]] bool prefers_direct(operation what) noexcept;

/// True if the operation has rules for ranks that meet, or an algorithm for ranks that live in several
/// places.
[[nodiscard]] bool has_meeting(operation what) noexcept;
[[nodiscard]] bool has_two_levels(operation what) noexcept;

/// The table in words, a line for each rule, with what settings force.
[[nodiscard]] std::string describe_selection();

} // namespace lisle::collective
