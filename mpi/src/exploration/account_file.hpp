// SPDX-License-Identifier: Apache-2.0
// The account that a run leaves in its folder: lines that are there as soon as they are written.
#pragma once

#include <string>

#include "base/owned_descriptor.hpp"
#include "choice/choice.hpp"

namespace lisle::exploration {

/// Throws mpi_error (MPI_ERR_FILE) if it cannot be read.
[[nodiscard]] choice::orders read_orders_in(const std::string &folder);
/// Throws mpi_error (MPI_ERR_FILE) if it cannot be written. Several processes may write to one.
[[nodiscard]] owned_descriptor open_account(const std::string &folder);
/// Ends the process if the line cannot be written.
void write_account(const owned_descriptor &account, const std::string &line);

} // namespace lisle::exploration
