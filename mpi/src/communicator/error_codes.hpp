// SPDX-License-Identifier: Apache-2.0
// Error classes, codes and their texts: the standard's, which are constants, and those that the program
// adds, which each rank has for itself.
#pragma once

#include <string>
#include <string_view>

namespace lisle {

/// Adds a class, or a code of a class; returns its number.
[[nodiscard]] int add_error_class();
[[nodiscard]] int add_error_code(int error_class);
/// Sets the text of a code that the program added.
void add_error_string(int code, std::string_view text);

/// The opposites. Throw if the program did not add it, or if a class still has codes,
/// or either its text.
void remove_error_class(int error_class);
void remove_error_code(int code);
void remove_error_string(int code);

/// The class of a code (of a class: itself). Throws MPI_ERR_ARG for numbers that are no code.
[[nodiscard]] int class_of_error(int code);
[[nodiscard]] bool is_error_code(int code);
/// The text of a code; empty for an added one without text. Throws as class_of_error().
[[nodiscard]] std::string text_of_error(int code);
/// How messages call a code: "MPI_ERR_RANK", or "code 16385" for one that the program added.
[[nodiscard]] std::string error_name(int code);

/// The largest code in use: value of the attribute MPI_LASTUSEDCODE, at an address that stays valid
/// until the rank ends.
[[nodiscard]] const int *last_used_code();

} // namespace lisle
