// SPDX-License-Identifier: Apache-2.0
// Scans of two ranks: all that is to be done is a short message, or two, and a blocking call needs no
// schedule for that. Nothing comes back, so the first rank may run ahead; messages are made for that.
#pragma once

#include "collective/selection/selection.hpp"
#include "communicator/communicator.hpp"
#include "datatype/typed_buffer.hpp"

namespace lisle {
class op;
}

namespace lisle::collective {

/// Does a scan or exscan in this way if it is chosen. False: nothing has happened. Throws if the ranks' sizes
/// differ, or the operation cannot reduce elements of the type.
/// @pre the communicator has two ranks and one group @param give may be the same buffer as `take`
[[nodiscard]] bool scan_by_message(communicator &comm, operation what, const typed_buffer &give,
                                   const typed_buffer &take, const op &reduction);

} // namespace lisle::collective
