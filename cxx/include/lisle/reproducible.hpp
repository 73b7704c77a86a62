// SPDX-License-Identifier: Apache-2.0
// Reductions that give the same bits whatever the number of ranks: the elements of all ranks, joined, are
// combined along one binary tree over their positions, wherever they lie.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lisle/communicator.hpp"

namespace lisle {

namespace detail {

/// The value of one node of the tree: it covers the positions [index << level, (index + 1) << level).
template <class T> struct tree_node {
    unsigned long long index;
    int level;
    T value;
};

/// Combines the positions [begin, end) of the tree, halves first. @pre begin is a multiple of the width's
/// power of two
template <class T, class F> T combine_halves(std::span<const T> values, F &function) {
    if (values.size() == 1)
        return values.front();
    const std::size_t half = values.size() / 2;
    return function(combine_halves(values.first(half), function),
                    combine_halves(values.subspan(half), function));
}

} // namespace detail

/// Combines all elements of all ranks' ranges into one, for all ranks. Always in the same order and with the
/// same brackets for the same sequence of elements, so sums of floating-point numbers do not depend on how
/// many ranks there are or who has how many elements. Nothing if there is no element. Collective.
///
///     double sum = lisle::reproducible_reduce(world, mine, std::plus<>{}).value();
template <direct_range R, class F>
[[nodiscard]] auto reproducible_reduce(const communicator &comm, const R &range, F function)
    -> std::optional<detail::element_of<const R &>> {
    using T = detail::element_of<const R &>;
    using node = detail::tree_node<T>;
    const std::span<const T> values{std::ranges::data(range), std::ranges::size(range)};
    const unsigned long long begin =
        comm.exscan(static_cast<unsigned long long>(values.size()), std::plus<>{}, 0ull);
    const unsigned long long end = begin + values.size();

    // The largest whole nodes that lie within this rank's positions: at most two of each level.
    std::vector<node> mine;
    for (unsigned long long position = begin; position < end;) {
        int level = 0;
        while (position % (2ull << level) == 0 && position + (2ull << level) <= end)
            ++level;
        const auto block =
            values.subspan(static_cast<std::size_t>(position - begin), std::size_t{1} << level);
        mine.push_back({position >> level, level, detail::combine_halves(block, function)});
        position += 1ull << level;
    }
    std::vector<node> nodes = std::move(comm.gatherv(mine).data);

    // Left to right with a stack: a right child meets its left sibling, which lies on top.
    std::vector<node> stack;
    const auto meet = [&] {
        const node right = stack.back();
        stack.pop_back();
        node &left = stack.back();
        left = {left.index / 2, left.level + 1, function(left.value, right.value)};
    };
    for (const node &next : nodes) {
        stack.push_back(next);
        while (stack.size() > 1 && stack.back().level == stack[stack.size() - 2].level &&
               stack.back().index % 2 == 1)
            meet();
    }
    // What has no sibling at the right end rises until it is one: the order stays.
    while (stack.size() > 1) {
        node &last = stack.back();
        const int level = stack[stack.size() - 2].level;
        last = {last.index >> (level - last.level), level, last.value};
        meet();
    }
    struct answer {
        bool any;
        T value;
    };
    answer result{};
    if (!stack.empty())
        result = {true, stack.front().value};
    comm.broadcast(result);
    return result.any ? std::optional{result.value} : std::nullopt;
}

} // namespace lisle
