// SPDX-License-Identifier: Apache-2.0
// A filter that smooths a picture or sharpens it, row by row.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

/// The rows of one rank: as even as whole rows can be.
struct share {
    int first, end;
    share(int height, int rank, int ranks)
        : first{static_cast<int>(static_cast<long>(height) * rank / ranks)}, end{static_cast<int>(
                                                                                 static_cast<long>(height) *
                                                                                 (rank + 1) / ranks)} {}
    [[nodiscard]] int rows() const { return end - first; }
};

/// New values of a row: the mean of nine, weighted 1 2 1, or what that takes away, added once more. The edge
/// of the picture counts twice. @param from,to give the address of a row
template <class From, class To>
void filter_row(From from, To to, int row, int width, int height, bool sharpen) {
    const std::array<const std::uint8_t *, 3> near{from(std::max(row - 1, 0)), from(row),
                                                   from(std::min(row + 1, height - 1))};
    std::uint8_t *const out = to(row);
    for (int column = 0; column < width; ++column) {
        const int left = std::max(column - 1, 0) * 3;
        const int middle = column * 3;
        const int right = std::min(column + 1, width - 1) * 3;
        for (int colour = 0; colour < 3; ++colour) {
            const auto across = [&](const std::uint8_t *line) {
                return line[left + colour] + 2 * line[middle + colour] + line[right + colour];
            };
            const int mean = (across(near[0]) + 2 * across(near[1]) + across(near[2]) + 8) / 16;
            const int own = near[1][middle + colour];
            out[middle + colour] =
                static_cast<std::uint8_t>(sharpen ? std::clamp(2 * own - mean, 0, 255) : mean);
        }
    }
}
