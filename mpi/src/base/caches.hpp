// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace lisle {

inline constexpr std::size_t line_of_cache = 64;

/// Asks for a line that is going to be written: otherwise the core that read it last has to be asked while
/// the store waits.
inline void claim_line(const void *line) noexcept {
#if defined(__x86_64__)
    // Not the compiler's own, which asks for the line to read it unless told that the processor is a new one.
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char *>(line)));
#else
    __builtin_prefetch(line, 1);
#endif
}

/// Bytes of the last cache before memory, which processors share; a guess where the system does not tell.
[[nodiscard]] std::size_t last_cache_bytes() noexcept;

} // namespace lisle
