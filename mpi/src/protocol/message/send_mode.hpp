// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lisle::protocol {

/// [MPI-5.0 3.4]
enum class send_mode : unsigned char { standard, synchronous, ready, buffered };

} // namespace lisle::protocol
