// SPDX-License-Identifier: Apache-2.0
// Names and texts of the standard's error classes. The table is generated from data/constants.json and
// data/error_texts.json. Codes that programs add are in communicator/error_codes.hpp.
#pragma once

#include <string_view>

#include "mpi.h"

namespace lisle {

/// The classes without gaps, MPI_SUCCESS to this one; those of the tool interface lie higher.
inline constexpr int last_standard_class = MPI_ERR_ABI;

/// One sentence without full stop, for MPI_Error_string; empty for what is no class of the standard.
[[nodiscard]] std::string_view error_text(int error_class) noexcept;
/// The constant's name: "MPI_ERR_RANK"; empty for what is no class of the standard.
[[nodiscard]] std::string_view error_class_name(int error_class) noexcept;

} // namespace lisle
