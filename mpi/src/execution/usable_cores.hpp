// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lisle {

/// Cores that the process may use (its affinity mask), at least 1.
[[nodiscard]] int usable_cores() noexcept;

} // namespace lisle
