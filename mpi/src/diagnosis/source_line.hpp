// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/call_chain.hpp"

namespace lisle {

/// "ring.c:23", from the file's debug information, if it has any and the system has libdw; otherwise
/// "ring+0x11c3", which addr2line takes. Of a call that the C++ interface's headers make it is the place of
/// the program's call to them. Without offsets the file is already the place in words.
/// Slow: opens the file. Thread-safe.
[[nodiscard]] std::string source_line(const std::string &file, const call_chain &offsets);

/// Whether the file's debug information says that these lead to the program itself, not only to what it calls
/// through. The same cost.
[[nodiscard]] bool leads_to_program(const std::string &file, const call_chain &offsets);

} // namespace lisle
