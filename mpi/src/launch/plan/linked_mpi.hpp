// SPDX-License-Identifier: Apache-2.0
// Programs that were built for another MPI: each of their ranks would find itself alone, as rank 0 of 1.
#pragma once

#include <string>
#include <vector>

namespace lisle::launch {

/// The libraries of other MPIs (libmpi.so.40, libmpich.so.12) that the executable at `path` names; none if
/// the file is no ELF executable of this machine.
[[nodiscard]] std::vector<std::string> libraries_of_others(const std::string &path);

/// The system's loader that the executable asks for; empty if it asks for none.
[[nodiscard]] std::string loader_of(const std::string &path);

/// Whether the executable names Lisle's library among those it needs.
[[nodiscard]] bool is_linked_with_lisle(const std::string &path);

} // namespace lisle::launch
