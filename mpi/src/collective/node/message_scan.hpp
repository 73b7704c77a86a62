// SPDX-License-Identifier: Apache-2.0
// Scans of two ranks: all that is to be done is a short message, or two, and a blocking call needs no
// schedule for that. Nothing comes back, so the first rank may run ahead; messages are made for that.
#pragma once

#include "collective/call.hpp"
#include "communicator/communicator.hpp"
#include "datatype/typed_buffer.hpp"

namespace lisle {
class op;
}

namespace lisle::collective {

/// The most bytes of such a scan: two that each fit a packet's cell.
inline constexpr MPI_Count most_in_message = 64;

/// A scan or exscan of two ranks of one group. Throws if the ranks' sizes differ.
/// @param give may be the same buffer as `take` @pre algorithm::message is chosen, so there are no more than
/// most_in_message bytes; the operation takes the type
void scan_by_message(communicator &comm, operation what, const typed_buffer &give, const typed_buffer &take,
                     const op &reduction);

} // namespace lisle::collective
