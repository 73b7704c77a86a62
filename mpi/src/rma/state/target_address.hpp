// SPDX-License-Identifier: Apache-2.0
// Where the data at the target of an operation lie: in the target's terms, and in the caller's.
#pragma once

#include "rma/elements/target_data.hpp"
#include "rma/state/attached_table.hpp"
#include "rma/state/window_members.hpp"

namespace lisle::rma {

/// The address of the target's data in its own terms. Throws MPI_ERR_RMA_RANGE if some of them are not in the
/// window, MPI_ERR_DISP for a negative displacement.
[[nodiscard]] std::uint64_t address_of(const window_members &members, const target_data &target);
/// The same, in the caller's terms: null if it has no address for them.
[[nodiscard]] std::byte *direct_address(const window_members &members, const target_data &target,
                                        std::uint64_t address) noexcept;

/// Whether the target, in another process of the node, says itself that it has attached the data.
/// @pre the window is dynamic
[[nodiscard]] attached_table::answer find_attached(const window_members &members,
                                                   const target_data &target) noexcept;

} // namespace lisle::rma
