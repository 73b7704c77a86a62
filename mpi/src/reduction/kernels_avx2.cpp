// SPDX-License-Identifier: Apache-2.0
// The kernels for x86-64 machines with 256-bit vectors; compiled with the flags for them (CMakeLists.txt).
#include "reduction/kernel_loops.hpp"
#include "reduction/kernel_sets.hpp"

namespace lisle::collective {

namespace {

constexpr kernel_table wide = make_table();

} // namespace

const kernel_table &avx2_kernels() noexcept {
    return wide;
}

} // namespace lisle::collective
