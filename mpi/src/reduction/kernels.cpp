// SPDX-License-Identifier: Apache-2.0
// The kernels for any machine of the architecture, and the choice among what this machine can run.
#include <array>
#include <cstdint>

#include "reduction/kernel_loops.hpp"
#include "reduction/kernel_sets.hpp"

namespace lisle::collective {

namespace {

constexpr kernel_table baseline = make_table();

/// For each operation a bit for each category: asked for each reduction.
constexpr auto allowed_bits = [] {
    std::array<std::uint16_t, kernel_operations> found{};
    for (std::size_t operation = 0; operation < kernel_operations; ++operation) {
        for (auto category = static_cast<unsigned>(type_category::none);
             category <= static_cast<unsigned>(type_category::pair); ++category) {
            if (allowed(static_cast<reduction>(operation), static_cast<type_category>(category))) {
                found[operation] = static_cast<std::uint16_t>(found[operation] | 1U << category);
            }
        }
    }
    return found;
}();

const kernel_table &best_set() noexcept {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return avx2_kernels();
    }
#endif
    return baseline;
}

// Not local to the function: it is asked for by each reduction, and would look each time whether it is there.
const kernel_table &kernels = best_set();

} // namespace

const kernel_table &baseline_kernels() noexcept {
    return baseline;
}

std::uint16_t allowed_categories(reduction operation) noexcept {
    return allowed_bits[static_cast<std::size_t>(operation)];
}

reduction_kernels find_kernels(reduction operation, basic_type type, type_category category) noexcept {
    return (allowed_categories(operation) >> static_cast<unsigned>(category) & 1U) != 0
               ? kernels[static_cast<std::size_t>(type)][static_cast<std::size_t>(operation)]
               : reduction_kernels{};
}

} // namespace lisle::collective
