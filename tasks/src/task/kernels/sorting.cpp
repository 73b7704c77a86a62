// SPDX-License-Identifier: Apache-2.0
// sort: vectors of integers, for merge sort.
#include <algorithm>
#include <iterator>
#include <random>
#include <stdexcept>

#include "task/kernels/standard.hpp"

namespace lisle::tasks {

namespace {

using integers = std::vector<std::int64_t>;

// The same numbers on every machine: the generator is the standard's, its output is used as it is.
integers random_numbers(std::size_t count, unsigned seed) {
    std::mt19937_64 generator{seed};
    integers made(count);
    std::ranges::generate(made, [&] { return static_cast<std::int64_t>(generator() >> 20U); });
    return made;
}
integers part(const integers &all, std::size_t first, std::size_t end) {
    if (first > end || end > all.size()) {
        throw std::out_of_range{"part " + std::to_string(first) + " to before " + std::to_string(end) +
                                " of " + std::to_string(all.size()) + " numbers"};
    }
    return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(end)};
}
integers sorted(integers numbers) {
    std::ranges::sort(numbers);
    return numbers;
}
integers merged(const integers &left, const integers &right) {
    integers both;
    both.reserve(left.size() + right.size());
    std::ranges::merge(left, right, std::back_inserter(both));
    return both;
}
bool is_sorted(const integers &numbers) {
    return std::ranges::is_sorted(numbers);
}
// A number that depends on the order, too.
std::int64_t checksum(const integers &numbers) {
    std::uint64_t sum = 0;
    for (const std::int64_t number : numbers) {
        sum = sum * 31 + static_cast<std::uint64_t>(number);
    }
    return static_cast<std::int64_t>(sum >> 1U);
}

} // namespace

described add_sorting_kernels(registry &kernels) {
    kernels.add("sort.random", &random_numbers);
    kernels.add("sort.part", &part);
    kernels.add("sort.sort", &sorted);
    kernels.add("sort.merge", &merged);
    kernels.add("sort.sorted?", &is_sorted);
    kernels.add("sort.checksum", &checksum);
    return {{"(sort.random count seed)", "integers"},
            {"(sort.part numbers first end)", "some of them"},
            {"(sort.sort numbers)", "sorted"},
            {"(sort.merge left right)", "two sorted vectors as one"},
            {"(sort.sorted? numbers)", "whether they are"},
            {"(sort.checksum numbers)", "an integer that depends on the order"}};
}

} // namespace lisle::tasks
