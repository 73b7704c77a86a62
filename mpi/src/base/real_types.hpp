// SPDX-License-Identifier: Apache-2.0
// The floating-point numbers for which C++20 has no name, as IEEE 754 has them.
#pragma once

#include <limits>

namespace lisle {

// Before GCC 13 the type of C's name is not C++'s but on x86-64.
#if defined(__x86_64__) || defined(__clang__) || __GNUC__ >= 13
#define LISLE_HAS_BINARY_16
using binary_16 = _Float16;
#elif defined(__aarch64__)
#define LISLE_HAS_BINARY_16
using binary_16 = __fp16;
#endif

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 binary_128; // NOLINT(modernize-use-using): `using` takes no __extension__
#else
using binary_128 = long double;
static_assert(std::numeric_limits<long double>::digits == 113);
#endif

} // namespace lisle
