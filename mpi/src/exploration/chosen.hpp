// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lisle::exploration {

/// Whether what this process's ranks find is chosen, or recorded (exploration/begin.hpp).
inline constinit bool chosen = false;

} // namespace lisle::exploration
