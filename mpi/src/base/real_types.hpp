// SPDX-License-Identifier: Apache-2.0
// The floating-point numbers for which C++20 has no name, as IEEE 754 has them.
#pragma once

#include <limits>

namespace lisle {

#if defined(__aarch64__) && !defined(__clang__) && __GNUC__ < 13
using binary_16 = __fp16; // the other is C's alone there
#else
using binary_16 = _Float16;
#endif

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 binary_128; // NOLINT(modernize-use-using): `using` takes no __extension__
#else
using binary_128 = long double;
static_assert(std::numeric_limits<long double>::digits == 113);
#endif

} // namespace lisle
