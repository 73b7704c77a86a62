// SPDX-License-Identifier: Apache-2.0
// What the steps on a board do with the data: reductions of what ranks have posted or show. All combine
// from the last rank to the first, which keeps the order of the operands, needs no copy of a result, and
// gives the same bits whoever computes them.
#pragma once

#include <vector>

#include "collective/schedule.hpp"

namespace lisle::collective {

/// Elements of a type that are reduced before the next ones: what stays in the caches.
[[nodiscard]] MPI_Count shown_piece(const datatype &type) noexcept;

/// @pre the members have posted `expected` bytes each
void reduce_posts(const board &where, std::uint64_t number, const reduce_posts_step &what);

/// @param members how many ranks there are @return a member that shows less than it should, or -1
[[nodiscard]] int reduce_shown(const board &where, std::uint64_t number, const reduce_shown_step &what,
                               int members);

/// Reduces what all members show as `give` to what they show as `take`. @pre all have the same size
void reduce_to_all(const op &operation, const std::vector<card> &cards);

} // namespace lisle::collective
