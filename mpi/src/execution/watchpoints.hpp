// SPDX-License-Identifier: Apache-2.0
// A few bytes whose loads and stores by the program the processor itself tells, where the program was not
// built with `mpicc --check` and everything is looked for (LISLE_CHECK=2). The system lends the processor's
// registers for that as performance events of the calling thread: four on x86-64.
#pragma once

#include <cstdint>

#include "base/access_filter.hpp"

namespace lisle {

class rank;

/// Of the calling thread. Without registers that are free, or on a system that lends none, nothing is told.
class watchpoints {
  public:
    /// The program's stores to the first bytes of a buffer are told from now on, until two others are
    /// watched. @param loads_too its loads, too
    static void watch_buffer(access_filter::range memory, bool loads_too) noexcept;
    /// The program's stores to the first byte of a window are, until two others are watched.
    static void watch_window(access_filter::range memory) noexcept;

    enum class purpose : std::uint8_t { buffer, window };
    struct access {
        rank &owner; ///< that called one of the above
        access_filter::range bytes;
        purpose why;
        memory_access how; ///< in a buffer a store that leaves the bytes as they are counts as a load
        const void *code;  ///< behind the instruction
    };
    /// Told of accesses by code of the program, in the signal's handler: the program stands at that
    /// instruction. @return false: nobody is interested any more. Set while the library is loaded.
    using listener = bool (*)(const access &made) noexcept;
    static inline constinit listener tell = [](const access &) noexcept { return false; };
};

} // namespace lisle
