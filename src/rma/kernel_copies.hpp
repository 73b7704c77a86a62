// SPDX-License-Identifier: Apache-2.0
// Puts and gets by the kernel, between processes of one node: the target's rank has no part in them.
#pragma once

#include "rma/target.hpp"

namespace lisle::rma {

/// @param address of the target's data in its own terms
/// Return false where the kernel does not copy: find another way.
[[nodiscard]] bool write_by_kernel(window &on, const typed_buffer &origin, const target_data &target,
                                   std::uint64_t address);
[[nodiscard]] bool read_by_kernel(window &on, const typed_buffer &origin, const target_data &target,
                                  std::uint64_t address);

} // namespace lisle::rma
