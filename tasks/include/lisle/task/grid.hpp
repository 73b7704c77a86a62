// SPDX-License-Identifier: Apache-2.0
// Ranks, or tiles, in rows and columns: a torus, whose ends meet, or a mesh, whose ends do not. Needs no MPI.
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace lisle::tasks {

/// The neighbours of the last row and the last column: the first ones, or none.
enum class grid_edges { meet, end };

/// Numbers rows x columns members row by row, from 0 on.
class grid {
  public:
    /// The directions of the eight neighbours, row by row. Direction 7 - d is opposite to d.
    static constexpr int directions = 8;
    static constexpr std::array<std::array<int, 2>, directions> offsets{
        {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}};
    [[nodiscard]] static constexpr int opposite(int direction) noexcept { return directions - 1 - direction; }

    /// Throws std::invalid_argument if there are no rows or no columns.
    grid(int rows, int columns, grid_edges edges = grid_edges::meet)
        : rows_{rows}, columns_{columns}, edges_{edges} {
        if (rows < 1 || columns < 1) {
            throw std::invalid_argument{"a grid of " + std::to_string(rows) + " rows and " +
                                        std::to_string(columns) + " columns; each has to be 1 or more"};
        }
    }
    [[nodiscard]] int rows() const noexcept { return rows_; }
    [[nodiscard]] int columns() const noexcept { return columns_; }
    [[nodiscard]] int size() const noexcept { return rows_ * columns_; }

    /// The neighbour in a direction of a member; -1: none. On a narrow torus it may be the member itself.
    [[nodiscard]] int neighbour(int member, int direction) const {
        const auto [down, right] = offsets.at(static_cast<std::size_t>(direction));
        const int row = along(member / columns_ + down, rows_);
        const int column = along(member % columns_ + right, columns_);
        return row < 0 || column < 0 ? -1 : row * columns_ + column;
    }
    /// All neighbours of a member, each once and in order, without itself.
    [[nodiscard]] std::vector<int> neighbours(int member) const {
        std::vector<int> all;
        for (int direction = 0; direction < directions; ++direction) {
            const int other = neighbour(member, direction);
            if (other >= 0 && other != member) {
                all.push_back(other);
            }
        }
        std::ranges::sort(all);
        all.erase(std::ranges::unique(all).begin(), all.end());
        return all;
    }

  private:
    [[nodiscard]] int along(int place, int length) const noexcept {
        if (edges_ == grid_edges::meet) {
            return (place + length) % length;
        }
        return place < length ? place : -1;
    }

    int rows_, columns_;
    grid_edges edges_;
};

} // namespace lisle::tasks
