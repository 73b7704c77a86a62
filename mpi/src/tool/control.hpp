// SPDX-License-Identifier: Apache-2.0
// Control variables: one for each row of the table of settings (base/settings.hpp), under the name of its
// environment variable. Settings whose values are words are enumerations.
#pragma once

#include <string>
#include <vector>

#include "base/settings.hpp"
#include "tool/interface.hpp"

namespace lisle::tool {

/// The words of a setting. Handles of type MPI_T_enum point to one.
struct enumeration {
    std::string name;
    std::int64_t first; ///< value of the first word
    std::vector<std::string> words;
};

struct control_variable {
    const char *name;
    setting which;
    const char *meaning;
    const enumeration *words; ///< null: a number or a text
};

/// All of them, in the order of the settings.
[[nodiscard]] const std::vector<control_variable> &control_variables();
/// The enumeration behind a handle. Throws MPI_T_ERR_INVALID_HANDLE.
[[nodiscard]] const enumeration &find_enumeration(MPI_T_enum handle);

/// What MPI_T_cvar_handle_alloc makes.
struct control_handle {
    const control_variable *variable;
};
inline const rank_local<handle_list<control_handle>> control_handles;

/// How many elements of datatype_of() a value has: the characters of a text with its zero, else one.
[[nodiscard]] int count_of(const control_variable &variable) noexcept;
/// MPI_INT for words, MPI_COUNT for numbers, MPI_CHAR for texts.
[[nodiscard]] MPI_Datatype datatype_of(const control_variable &variable) noexcept;

/// Reads into, or writes from, a buffer of such elements.
void read(const control_variable &variable, void *buffer);
/// Throws MPI_T_ERR_CVAR_SET_NEVER for a variable that cannot change any more, and MPI_T_ERR_INVALID for a
/// value out of range.
void write(const control_variable &variable, const void *buffer);

} // namespace lisle::tool
