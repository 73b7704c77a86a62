// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace lisle {

/// "ring.c:23", from the file's debug information, if it has any and the system has libdw; otherwise
/// "ring+0x11c3", which addr2line takes. Slow: opens the file. Thread-safe.
/// @param offset from where the file begins in memory
[[nodiscard]] std::string source_line(const std::string &file, std::uint64_t offset);

} // namespace lisle
