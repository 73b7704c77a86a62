// SPDX-License-Identifier: Apache-2.0
// Algorithms of MPI_Reduce. All combine in an order that depends on ranks and sizes alone, so that results
// are reproducible; it is the order of ranks unless the operation is commutative.
#pragma once

#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// Binomial tree rooted at the root, or at rank 0 with one more message if the operation is not
/// commutative. `send` and `receive` (which matters at the root only) may be the same buffer.
/// [Thakur, Rabenseifner, Gropp 2005, section 4.5]
void reduce_binomial(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                     const typed_buffer &receive, int root);

/// Rabenseifner: as allreduce_reduce_scatter_allgather, but the pieces are gathered at the root.
/// [R. Rabenseifner: Optimization of collective reduction operations, 2004] @pre commutative
void reduce_reduce_scatter_gather(schedule &plan, const team &team, const op &operation,
                                  const typed_buffer &send, const typed_buffer &receive, int root);

/// The root combines the contributions one by one in the order of ranks. For comparison.
void reduce_linear(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive, int root);

/// From all of one group of an inter-communicator to a root in the other: `root` is MPI_ROOT at the root,
/// MPI_PROC_NULL beside it, and the root's rank in the group that contributes.
void reduce_between_groups(schedule &plan, const team &own, const team &other, const op &operation,
                           const typed_buffer &send, const typed_buffer &receive, int root);

} // namespace lisle::collective
