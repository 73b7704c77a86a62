// SPDX-License-Identifier: Apache-2.0
// The kernels for any machine of the architecture, and the choice among what this machine can run.
#include <array>
#include <cstdint>

#include "collective/kernel_loops.hpp"
#include "collective/kernel_sets.hpp"

namespace lisle::collective {

namespace {

constexpr kernel_table baseline = make_table();

/// For each category a bit for each operation that it allows: asked for each reduction.
constexpr auto allowed_operations = [] {
    std::array<std::uint16_t, static_cast<std::size_t>(type_category::pair) + 1> found{};
    for (std::size_t category = 0; category < found.size(); ++category) {
        for (std::size_t operation = 0; operation < kernel_operations; ++operation) {
            if (allowed(static_cast<reduction>(operation), static_cast<type_category>(category))) {
                found[category] = static_cast<std::uint16_t>(found[category] | 1U << operation);
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

} // namespace

const kernel_table &baseline_kernels() noexcept {
    return baseline;
}

reduction_kernels find_kernels(reduction operation, basic_type type, type_category category) noexcept {
    static const kernel_table &kernels = best_set();
    return (allowed_operations[static_cast<std::size_t>(category)] >> static_cast<unsigned>(operation) &
            1U) != 0
               ? kernels[static_cast<std::size_t>(type)][static_cast<std::size_t>(operation)]
               : reduction_kernels{};
}

} // namespace lisle::collective
