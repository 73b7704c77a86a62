// SPDX-License-Identifier: Apache-2.0
// Algorithms of MPI_Scan and MPI_Exscan. Operands keep the order of ranks. `send` and `receive` may be the
// same buffer.
#pragma once

#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// In round k each rank adds what the rank 2^k before has combined so far.
/// [W. D. Hillis, G. L. Steele: Data parallel algorithms, 1986]
void scan_doubling(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive);

/// The same without the own contribution; rank 0 receives nothing.
void exscan_doubling(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                     const typed_buffer &receive);

/// Each rank waits for the one before and passes its result on. For comparison.
void scan_linear(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                 const typed_buffer &receive);

/// The same without the own contribution; rank 0 receives nothing.
void exscan_linear(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive);

} // namespace lisle::collective
