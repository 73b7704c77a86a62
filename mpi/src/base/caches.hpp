// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace lisle {

inline constexpr std::size_t line_of_cache = 64;

/// Prefetches a line for writing: otherwise the store waits until the core that read the line last has given
/// it up.
inline void claim_line(const void *line) noexcept {
#if defined(__x86_64__)
    // Not the compiler's builtin, which prefetches for reading unless it compiles for a recent processor.
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char *>(line)));
#else
    __builtin_prefetch(line, 1);
#endif
}

/// Bytes of the last cache before memory, which processors share; a guess where the system does not tell.
[[nodiscard]] std::size_t last_cache_bytes() noexcept;

} // namespace lisle
