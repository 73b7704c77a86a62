// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace lisle {

/// Bytes of the last cache before memory, which processors share; a guess where the system does not tell.
[[nodiscard]] std::size_t last_cache_bytes() noexcept;

} // namespace lisle
