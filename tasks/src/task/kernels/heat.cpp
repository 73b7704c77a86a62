// SPDX-License-Identifier: Apache-2.0
// heat: parts of a rod, whose ends are those of a ring, for a stencil over blocks.
#include <cmath>
#include <stdexcept>

#include "task/kernels/standard.hpp"

namespace lisle::tasks {

namespace {

using part = std::vector<double>;

/// Temperatures of `count` points from point `first` on.
part beginning(std::size_t count, std::size_t first) {
    part made(count);
    for (double &each : made) {
        each = static_cast<double>(first * first % 101);
        ++first;
    }
    return made;
}
/// A part after a step of time, from those before it.
part stepped(const part &mine, const part &left, const part &right) {
    if (mine.empty() || left.empty() || right.empty()) {
        throw std::invalid_argument{"a part without points"};
    }
    part next(mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
        const double before = i == 0 ? left.back() : mine[i - 1];
        const double after = i + 1 == mine.size() ? right.front() : mine[i + 1];
        next[i] = mine[i] + 0.25 * (before - 2 * mine[i] + after);
    }
    return next;
}
/// A number that depends on the order, too.
double checksum(const part &mine) {
    double sum = 0;
    for (std::size_t i = 0; i < mine.size(); ++i) {
        sum += mine[i] * static_cast<double>(i + 1);
    }
    return sum;
}

} // namespace

described add_heat_kernels(registry &kernels) {
    kernels.add("heat.start", &beginning);
    kernels.add("heat.step", &stepped);
    kernels.add("heat.checksum", &checksum);
    return {{"(heat.start n first)", "temperatures of n points of a rod"},
            {"(heat.step part left right)", "a part after a step, from it and its neighbours"},
            {"(heat.checksum part)", "a number that depends on all points"}};
}

} // namespace lisle::tasks
