// SPDX-License-Identifier: Apache-2.0
#include "tile/study/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include <fmt/format.h>

namespace lisle::tile::study {

namespace {

constexpr std::array colours{"#1f5fa8", "#c8501e", "#2e8540", "#7a3e9d", "#8a6d00", "#b3245f", "#3f7f8f"};

constexpr double width = 760, height = 440;
constexpr double left = 78, right = 190, top = 44, bottom = 56;

/// One axis: values to pixels, and where its marks are.
class axis {
  public:
    axis(bool logarithmic, double least, double most, double first_pixel, double last_pixel)
        : logarithmic_{logarithmic}, first_{first_pixel}, last_{last_pixel} {
        if (logarithmic_) {
            from_ = std::floor(std::log10(least));
            to_ = std::max(from_ + 1, std::ceil(std::log10(most)));
            for (double power = from_; power <= to_; ++power) {
                marks_.push_back(std::pow(10, power));
            }
            return;
        }
        const double rough = std::max(most, 1e-9) / 6;
        const double unit = std::pow(10, std::floor(std::log10(rough)));
        const double step = rough / unit <= 2 ? 2 * unit : rough / unit <= 5 ? 5 * unit : 10 * unit;
        from_ = 0;
        to_ = std::ceil(most / step) * step;
        for (double mark = 0; mark <= to_ + step / 2; mark += step) {
            marks_.push_back(mark);
        }
    }
    [[nodiscard]] double pixel(double value) const {
        const double at = logarithmic_ ? std::log10(value) : value;
        return first_ + (last_ - first_) * (at - from_) / (to_ - from_);
    }
    [[nodiscard]] const std::vector<double> &marks() const { return marks_; }

  private:
    bool logarithmic_;
    double first_, last_;
    double from_ = 0, to_ = 1;
    std::vector<double> marks_;
};

std::string short_number(double value) {
    if (value >= 1e6) {
        return fmt::format("{:g}M", value / 1e6);
    }
    return value >= 1e4 ? fmt::format("{:g}k", value / 1e3) : fmt::format("{:g}", value);
}

void text(std::ostream &to, double x, double y, const std::string &anchor, const std::string &content,
          const std::string &more = "") {
    to << fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y, anchor, more,
                      content);
}

} // namespace

void write_svg(const line_plot &plot, std::ostream &to) {
    double least_x = 1e300, most_x = -1e300, least_y = 1e300, most_y = -1e300;
    for (const series &line : plot.lines) {
        for (const auto &[x, y] : line.points) {
            least_x = std::min(least_x, x);
            most_x = std::max(most_x, x);
            least_y = std::min(least_y, y);
            most_y = std::max(most_y, y);
        }
    }
    const axis across{plot.logarithmic_x, least_x, most_x, left, width - right};
    const axis along{plot.logarithmic_y, least_y, most_y, height - bottom, top};

    to << fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"13\">\n"
                      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                      width, height);
    text(to, left, 24, "start", plot.title, "font-size=\"16\" font-weight=\"bold\"");
    for (const double mark : across.marks()) {
        const double x = across.pixel(mark);
        to << fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#e4e4e4\"/>\n",
                          x, top, height - bottom);
        text(to, x, height - bottom + 18, "middle", short_number(mark));
    }
    for (const double mark : along.marks()) {
        const double y = along.pixel(mark);
        to << fmt::format("<line x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" stroke=\"#e4e4e4\"/>\n",
                          y, left, width - right);
        text(to, left - 8, y + 4, "end", short_number(mark));
    }
    text(to, (left + width - right) / 2, height - 14, "middle", plot.x_label);
    text(to, 18, (top + height - bottom) / 2, "middle", plot.y_label,
         fmt::format("transform=\"rotate(-90 18 {:.1f})\"", (top + height - bottom) / 2));

    double legend = top + 8;
    for (std::size_t i = 0; i < plot.lines.size(); ++i) {
        const series &line = plot.lines[i];
        const std::size_t chosen = line.colour >= 0 ? static_cast<std::size_t>(line.colour) : i;
        const std::string style =
            fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}", colours[chosen % colours.size()],
                        line.dashed ? " stroke-dasharray=\"5 4\"" : "");
        std::string points;
        for (const auto &[x, y] : line.points) {
            points += fmt::format("{:.1f},{:.1f} ", across.pixel(x), along.pixel(y));
        }
        to << fmt::format("<polyline points=\"{}\" {}/>\n", points, style);
        for (const auto &[x, y] : line.points) {
            to << fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\" stroke=\"{}\"/>\n",
                              across.pixel(x), along.pixel(y),
                              line.dashed ? "white" : colours[chosen % colours.size()],
                              colours[chosen % colours.size()]);
        }
        to << fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" {}/>\n", width - right + 14,
                          width - right + 40, legend, legend, style);
        text(to, width - right + 46, legend + 4, "start", line.name);
        legend += 20;
    }
    to << "</svg>\n";
}

} // namespace lisle::tile::study
