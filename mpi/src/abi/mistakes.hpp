// SPDX-License-Identifier: Apache-2.0
// Sentences about mistakes that leave the program running.
#pragma once

#include <string>

#include "abi/call_place.hpp"

namespace lisle::abi {

/// "ring.c:12"; empty if it is not known. Slow: opens the file.
[[nodiscard]] std::string in_words(const code_place &place);
/// "MPI_Isend at ring.c:12". Slow: opens the file.
[[nodiscard]] std::string in_words(const call_place &place);
/// The same of a call that is known by addresses.
[[nodiscard]] std::string in_words(const call_address &place);
/// The line of the call that returns to this address.
[[nodiscard]] std::string line_of(const void *caller);

/// Prints "lisle: rank 3: " and the sentence on standard error, as one line: each sentence once, and a
/// limited number of them.
void report_mistake(const std::string &sentence);

} // namespace lisle::abi
