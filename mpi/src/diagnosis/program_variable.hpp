// SPDX-License-Identifier: Apache-2.0
// Which variable of a program has some memory, and of what its elements are, as the debug information says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lisle {

struct program_variable {
    enum class kind : std::uint8_t { integer, real, complex, logical, character, pointer };
    std::string name;
    std::string type; ///< of an element, as the program calls it: "double"
    kind elements;
    std::uint64_t element_bytes;
    friend bool operator==(const program_variable &, const program_variable &) = default;
};

/// A static variable. Nothing: none is known there, or it is no variable of arithmetic type, pointer, or
/// array of such. Slow the first time for a file: looks through its debug information.
/// @param offset of its memory from where the file begins in memory
[[nodiscard]] std::optional<program_variable> static_variable(const std::string &file, std::uint64_t offset);

/// A variable of a function's call, if only one can be meant. Slow: opens the file.
/// @param function offset of code of the function from where the file begins in memory
/// @param place of the memory, from just above the call's variables on
[[nodiscard]] std::optional<program_variable> local_variable(const std::string &file, std::uint64_t function,
                                                             std::int64_t place);

} // namespace lisle
