// SPDX-License-Identifier: Apache-2.0
// Set operations on groups, in the orders that the standard defines. All take O(n log n) at most.
#pragma once

#include <span>

#include "world/group.hpp"

namespace lisle {

/// first:last:stride, inclusive, as MPI_Group_range_incl takes them.
struct rank_range {
    int first;
    int last;
    int stride;
};

/// All of `left` in its order, then those of `right` that are not in it.
[[nodiscard]] group_ref unite(const group &left, const group &right);
/// Those of `left` that are in `right`, in left's order.
[[nodiscard]] group_ref intersect(const group &left, const group &right);
/// Those of `left` that are not in `right`, in left's order.
[[nodiscard]] group_ref subtract(const group &left, const group &right);

/// The listed ranks in the list's order. Throws MPI_ERR_RANK for a rank outside or a repeated one.
[[nodiscard]] group_ref include(const group &source, std::span<const int> ranks);
/// All but the listed ranks. Throws as include().
[[nodiscard]] group_ref exclude(const group &source, std::span<const int> ranks);
/// The same for ranges. Throw MPI_ERR_ARG also, for a stride of 0 or one that leads away from the end.
[[nodiscard]] group_ref include_ranges(const group &source, std::span<const rank_range> ranges);
[[nodiscard]] group_ref exclude_ranges(const group &source, std::span<const rank_range> ranges);

/// MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
[[nodiscard]] int compare(const group &left, const group &right);
/// The rank in `to` of each of these ranks of `from`; MPI_PROC_NULL stays what it is.
void translate(const group &from, std::span<const int> ranks, const group &to, std::span<int> translated);

} // namespace lisle
