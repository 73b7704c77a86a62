// SPDX-License-Identifier: Apache-2.0
// The kernels that every program of lisle-task may call.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <lisle/task/kernel.hpp>

namespace lisle::tasks {

/// A name and what it is good for, for --help.
using described = std::vector<std::pair<std::string, std::string>>;

/// Registers them all. @return their names and meanings
described add_standard_kernels(registry &kernels);

described add_system_kernels(registry &kernels);  ///< sys
described add_heat_kernels(registry &kernels);    ///< heat
described add_sorting_kernels(registry &kernels); ///< sort
described add_matrix_kernels(registry &kernels);  ///< matrix
described add_text_kernels(registry &kernels);    ///< text

} // namespace lisle::tasks
