// SPDX-License-Identifier: Apache-2.0
// lislerun --abi-check: what a program that was built for any MPI needs of it, and what of that is there.
#pragma once

#include <string>

namespace lisle::launch {

/// Prints it on the standard output. @param abi as --abi says @return 0 if all is there, else 1
/// Throws launch_error if there is no such program, or none that loads libraries.
[[nodiscard]] int check_abi(const std::string &program, const std::string &abi);

} // namespace lisle::launch
