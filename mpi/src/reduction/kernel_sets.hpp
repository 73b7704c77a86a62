// SPDX-License-Identifier: Apache-2.0
// The kernels of each instruction set, by representation and operation. All give the same results.
#pragma once

#include <array>

#include "reduction/kernels.hpp"

namespace lisle::collective {

inline constexpr std::size_t kernel_operations = static_cast<std::size_t>(reduction::maxloc) + 1;
inline constexpr std::size_t kernel_types = static_cast<std::size_t>(basic_type::pair_float64_float64) + 1;
using kernel_row = std::array<reduction_kernels, kernel_operations>;
using kernel_table = std::array<kernel_row, kernel_types>;

[[nodiscard]] const kernel_table &baseline_kernels() noexcept;
#if defined(__x86_64__)
/// @pre the machine has AVX2
[[nodiscard]] const kernel_table &avx2_kernels() noexcept;
#endif

} // namespace lisle::collective
