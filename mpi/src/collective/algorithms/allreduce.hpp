// SPDX-License-Identifier: Apache-2.0
// Algorithms of MPI_Allreduce. All ranks get the same bits. `send` and `receive` may be the same buffer.
#pragma once

#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// Recursive doubling; if the size is no power of two, the first ranks join in pairs before and part
/// after. Operands keep the order of ranks. [Thakur, Rabenseifner, Gropp 2005, section 4.5]
void allreduce_recursive_doubling(schedule &plan, const team &team, const op &operation,
                                  const typed_buffer &send, const typed_buffer &receive);

/// Rabenseifner: the vector is halved again and again while ranks reduce what they keep, then brought
/// together the same way. If the size is no power of two, the first ranks join in pairs.
/// [R. Rabenseifner: Optimization of collective reduction operations, 2004] @pre commutative
void allreduce_reduce_scatter_allgather(schedule &plan, const team &team, const op &operation,
                                        const typed_buffer &send, const typed_buffer &receive);

/// A ring twice: in the first turn each rank adds its part of a piece, in the second the pieces go round.
/// [P. Patarasuk, X. Yuan: Bandwidth optimal all-reduce algorithms, 2009] @pre commutative
void allreduce_ring(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                    const typed_buffer &receive);

/// A reduction to rank 0 and a broadcast: least work in all where ranks share few cores.
void allreduce_reduce_bcast(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                            const typed_buffer &receive);

/// Each group of an inter-communicator gets the result of the other one.
void allreduce_between_groups(schedule &plan, const team &own, const team &other, const op &operation,
                              const typed_buffer &send, const typed_buffer &receive);

} // namespace lisle::collective
