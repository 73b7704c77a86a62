// SPDX-License-Identifier: Apache-2.0
// What the choice of an algorithm may depend on. All ranks of a communicator must choose alike, so only
// values that they share count.
#pragma once

#include "collective/call.hpp"

namespace lisle::collective {

struct situation {
    operation what;
    MPI_Count bytes = 0;  ///< see sizes
    MPI_Count posted = 0; ///< see sizes
    int ranks = 1;
    bool inter = false;         ///< the ranks are two groups
    bool shared_memory = false; ///< the ranks have a collective area that takes what is posted
    bool pair = false;          ///< there are two, who share such an area, and the call blocks
    bool single_copy = false;   ///< they can use each other's buffers
    bool one_process = false;   ///< by their addresses
    bool contiguous = true;     ///< the elements of a reduction lie without gaps
    bool predefined = true;     ///< its operation is not a user's
    bool commutative = true;
    bool of_array = true;         ///< blocks are equal and lie one after the other
    bool in_process = false;      ///< all take turns in one process, and the call blocks
    bool message = false;         ///< there are two, and the call blocks
    bool several_places = false;  ///< the ranks are in several places, and several in some
    bool places_in_order = false; ///< the ranks of each place follow those of the place before
    bool mesh = false;            ///< the ranks lie on a mesh, so that they can meet in stages
    bool in_pairs = false;        ///< two of them in each stage

    /// Kernels can read the operands of a reduction wherever they lie.
    [[nodiscard]] bool plain() const noexcept { return contiguous && predefined; }
    [[nodiscard]] bool gathers_blocks() const noexcept {
        return what == operation::allgather || what == operation::allgatherv;
    }
};

} // namespace lisle::collective
