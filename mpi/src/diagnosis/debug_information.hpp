// SPDX-License-Identifier: Apache-2.0
// Looks addresses up in a file's debug information with libdw (elfutils). libdw is loaded when it is first
// needed, and may be missing here and where Lisle was built.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lisle {

struct source_place {
    std::string file; ///< with the directory that the compiler was given
    int line = 0;
};

/// The place of an address, and outwards from it the calls into which its code was inlined. Empty: nothing is
/// known. Slow: opens the file.
/// @param offset from where the file begins in memory
[[nodiscard]] std::vector<source_place> source_places(const std::string &file, std::uint64_t offset);

/// The symbol of the function that an address lies in, as the linker knows it; empty: not known. Slow: opens
/// the file.
/// @param offset from where the file begins in memory
[[nodiscard]] std::string function_name(const std::string &file, std::uint64_t offset);

} // namespace lisle
