// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace lisle {

/// Addresses in a loaded file, counted from where it begins in memory: that of a call, and outwards from it
/// those of the calls that led to it. After the last one: 0.
using call_chain = std::array<std::uint64_t, 6>;

} // namespace lisle
