// SPDX-License-Identifier: Apache-2.0
// The kernels for any machine of the architecture, and the choice among what this machine can run.
#include "collective/kernel_loops.hpp"
#include "collective/kernel_sets.hpp"

namespace lisle::collective {

namespace {

constexpr kernel_table baseline = make_table();

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
    return allowed(operation, category)
               ? kernels[static_cast<std::size_t>(type)][static_cast<std::size_t>(operation)]
               : reduction_kernels{};
}

} // namespace lisle::collective
