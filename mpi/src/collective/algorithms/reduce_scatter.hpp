// SPDX-License-Identifier: Apache-2.0
// Algorithms of MPI_Reduce_scatter(_block): element-wise reduction of vectors, of which each rank gets a
// piece. `counts[i]` is the number of elements that rank i gets; `send` is the whole vector. The buffers
// may be the same: then the result stands at the beginning of the input.
#pragma once

#include <span>

#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// A reduction to rank 0, which then spreads the pieces. Keeps the order of ranks.
void reduce_scatter_by_root(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                            const typed_buffer &receive, std::span<const MPI_Count> counts);

/// Pairwise exchange: each rank gets everyone's part of its own piece and combines them.
/// [Thakur, Rabenseifner, Gropp 2005, section 4.5] @pre the operation is commutative
void reduce_scatter_pairwise(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                             const typed_buffer &receive, std::span<const MPI_Count> counts);

/// Recursive halving: the vector is halved again and again while ranks reduce what they keep. If the size is
/// no power of two, the first ranks join in pairs. [Thakur, Rabenseifner, Gropp 2005, section 4.5]
/// @pre the operation is commutative
void reduce_scatter_recursive_halving(schedule &plan, const team &team, const op &operation,
                                      const typed_buffer &send, const typed_buffer &receive,
                                      std::span<const MPI_Count> counts);

/// Each group of an inter-communicator gets the other's result, in the pieces that `counts` says for the
/// own group.
void reduce_scatter_between_groups(schedule &plan, const team &own, const team &other, const op &operation,
                                   const typed_buffer &send, const typed_buffer &receive,
                                   std::span<const MPI_Count> counts);

} // namespace lisle::collective
