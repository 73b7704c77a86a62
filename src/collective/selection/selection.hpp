// SPDX-License-Identifier: Apache-2.0
// Which algorithm a collective uses. One table (selection.cpp) decides, by the operation, the size, the
// number of ranks, where they are and what the operation allows. All ranks of a communicator must choose
// alike, so only values that they share count. A setting can force an algorithm
// (LISLE_COLLECTIVES=bcast=linear); all ranks must have it alike, and it is obeyed where the call allows that
// algorithm.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "base/settings.hpp"
#include "mpi.h"

namespace lisle::collective {

using operation = collective_operation;
using algorithm = collective_algorithm;

/// The most bytes of a scan that goes by messages: two that each fit a packet's cell.
inline constexpr MPI_Count most_in_message = 64;

/// The most bytes that two ranks exchange as a pair. Of longer data the instructions that it saves are a
/// small part.
inline constexpr MPI_Count most_in_pair = 1024;

/// What a choice may depend on.
struct situation {
    operation what;
    /// Bytes of the vector (bcast, reductions) or of one block; 0 if ranks do not know them of each other.
    MPI_Count bytes = 0;
    /// The most that a rank would post in the collective area.
    MPI_Count posted = 0;
    /// The most that one of two ranks has for the other.
    MPI_Count for_other = 0;
    int ranks = 1;
    bool inter = false;         ///< the ranks are two groups
    bool shared_memory = false; ///< the ranks have a collective area that takes what is posted
    bool pair = false;          ///< there are two, their area takes `for_other`, and the call blocks
    bool single_copy = false;   ///< they can use each other's buffers
    bool one_process = false;   ///< by their addresses
    bool contiguous = true;     ///< the elements of a reduction lie without gaps
    bool predefined = true;     ///< its operation is not a user's
    bool commutative = true;
    bool in_process = false;      ///< all take turns in one process, and the call blocks
    bool message = false;         ///< there are two, and the call blocks
    bool several_places = false;  ///< the ranks are in several places, and several in some
    bool places_in_order = false; ///< the ranks of each place follow those of the place before
    bool mesh = false;            ///< the ranks lie on a mesh, so that they can meet in stages
    bool in_pairs = false;        ///< two of them in each stage

    /// Kernels can read the operands of a reduction wherever they lie.
    [[nodiscard]] bool plain() const noexcept { return contiguous && predefined; }
};

[[nodiscard]] algorithm choose(const situation &given);

/// What the table says first of an operation, which is all that most calls have to ask. Limits in bytes; -1:
/// never.
struct shortlist {
    bool message = false;      ///< for two ranks, up to most_in_message
    MPI_Count in_process = -1; ///< before all that follows
    MPI_Count pair = -1;       ///< before slots
    MPI_Count shared_memory = -1;
    bool single_copy = false;        ///< whatever the size, which ranks do not know of each other
    bool single_copy_within = false; ///< of a process: nothing comes before it but what is named above
    bool two_level = false;          ///< there is a rule for ranks in several places
};
namespace detail {
extern const std::array<shortlist, static_cast<std::size_t>(operation::count)> shortlists;
[[nodiscard]] bool is_forced(operation what) noexcept;
} // namespace detail

[[nodiscard]] inline const shortlist &shortlist_of(operation what) noexcept {
    return detail::shortlists[static_cast<std::size_t>(what)];
}
/// True if a setting forces an algorithm. Asked at each call, since a tool may change it.
[[nodiscard]] inline bool is_forced(operation what) noexcept {
    return !all_changeable_are_default() && detail::is_forced(what);
}

/// The table in words, a line for each rule, with what settings force.
[[nodiscard]] std::string describe_selection();

} // namespace lisle::collective
