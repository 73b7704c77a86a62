// SPDX-License-Identifier: Apache-2.0
// Accumulates by the kernel, between processes of one node: the origin copies elements of the target's memory
// to itself, changes them and copies them back, all under the lock of the target's row. The target's rank has
// no part in them. All others change such memory under the same lock (member_facts::copied).
#pragma once

#include "rma/element_update.hpp"
#include "rma/target.hpp"

namespace lisle::rma {

/// True if the caller changes these elements so. It then always does, but those of a dynamic window while
/// more is attached than its target can say: what has gone by messages then is done when this returns true.
/// So its updates stay in order.
[[nodiscard]] bool updates_by_kernel(window &on, const target_data &target);

/// As element_update::apply, for elements at an address of the target's. Both throw MPI_ERR_RMA_RANGE if the
/// kernel finds no memory there. @pre updates_by_kernel(on, target)
void update_by_kernel(window &on, int target, std::uint64_t address, const element_update &update,
                      const std::byte *origin, std::byte *result, std::size_t count);
/// As compare_and_swap of element_update.hpp.
void compare_by_kernel(window &on, int target, std::uint64_t address, const datatype &element,
                       const std::byte *compare, const std::byte *origin, std::byte *result);

} // namespace lisle::rma
