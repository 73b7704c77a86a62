// SPDX-License-Identifier: Apache-2.0
// The physics of the heat example: some rows of a plate, with a row of the neighbours' above and below.
// Every cell's new value depends on its four neighbours' old ones and on nothing else, computed in the
// same order wherever the cell lies, so the result is the same to the last bit for any number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// What a pixel of the input means: red is held hot, blue is held cold, black is a wall through which no
/// heat goes, and everything else is plate, which begins at 0.
enum class cell_kind : std::uint8_t { plate, hot, cold, wall };

/// The caller's rows of the plate.
class plate {
  public:
    /// `pixels`: rows + 2 rows of RGB, of which the first and the last are the neighbours' (black, hence
    /// insulating, beyond the edge of the picture).
    plate(int width, int rows, const std::vector<std::uint8_t> &pixels);

    /// A row's values; row -1 and row `rows` are the neighbours'.
    [[nodiscard]] float *row(int index);
    /// Computes the next values of rows [from, to).
    void step_rows(int from, int to);
    /// The next values become the present ones.
    void advance() { now_.swap(next_); }
    /// The sum of all temperatures in millionths: whole numbers, so that the order of adding is no matter.
    [[nodiscard]] long long energy();
    /// Colours for all rows, in RGB.
    [[nodiscard]] std::vector<std::uint8_t> colours();

  private:
    [[nodiscard]] std::size_t index(int row, int column) const;

    int width_;
    int rows_;
    std::vector<float> now_;
    std::vector<float> next_;
    // How well heat flows from a cell to its right-hand neighbour, to the one below (0 or the step's
    // factor), and whether the cell changes at all (0 or 1).
    std::vector<float> to_right_;
    std::vector<float> to_below_;
    std::vector<float> free_;
    std::vector<cell_kind> kinds_;
};
