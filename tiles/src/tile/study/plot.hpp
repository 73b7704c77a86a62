// SPDX-License-Identifier: Apache-2.0
// Line plots as SVG.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lisle::tile::study {

struct series {
    std::string name;
    std::vector<std::pair<double, double>> points;
    bool dashed = false; ///< for figures of other sources
    int colour = -1;     ///< an index; -1: by its place among the series
    bool marks = true;   ///< a circle at each point
};

struct line_plot {
    std::string title, x_label, y_label;
    bool logarithmic_x = false, logarithmic_y = false;
    std::vector<series> lines;
};

/// An SVG. @pre logarithmic axes: positive values
[[nodiscard]] std::string draw(const line_plot &plot);

} // namespace lisle::tile::study
