// SPDX-License-Identifier: Apache-2.0
#include "tile/study/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "picture/svg.hpp"

namespace lisle::tile::study {

namespace {

constexpr std::array colours{"#1f5fa8", "#c8501e", "#2e8540", "#7a3e9d", "#8a6d00", "#b3245f", "#3f7f8f"};

constexpr double width = 760, height = 440;
constexpr double left = 78, right = 190, top = 44, bottom = 56;

struct range {
    double least = 1e300, most = -1e300;
};

/// One axis: values to pixels, and where its marks are.
class axis {
  public:
    axis(bool logarithmic, range values, double first_pixel, double last_pixel)
        : logarithmic_{logarithmic}, first_{first_pixel}, last_{last_pixel} {
        if (logarithmic_) {
            from_ = std::floor(std::log10(values.least));
            to_ = std::max(from_ + 1, std::ceil(std::log10(values.most)));
            for (double power = from_; power <= to_; ++power) {
                marks_.push_back(std::pow(10, power));
            }
            return;
        }
        const double rough = std::max(values.most, 1e-9) / 6;
        const double unit = std::pow(10, std::floor(std::log10(rough)));
        const double step = rough / unit <= 2 ? 2 * unit : rough / unit <= 5 ? 5 * unit : 10 * unit;
        from_ = 0;
        to_ = std::ceil(values.most / step) * step;
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

/// The lines of a plot in the frame of its axes.
class plotter {
  public:
    explicit plotter(const line_plot &plot)
        : plot_{plot}, across_{plot.logarithmic_x, range_of(plot, &point_of::first), left, width - right},
          along_{plot.logarithmic_y, range_of(plot, &point_of::second), height - bottom, top} {}

    std::string draw() {
        text(left, 24, "start", plot_.title, {{"font-size", "16"}, {"font-weight", "bold"}});
        draw_axes();
        double legend = top + 8;
        for (std::size_t i = 0; i < plot_.lines.size(); ++i) {
            const series &line = plot_.lines[i];
            const std::size_t chosen = line.colour >= 0 ? static_cast<std::size_t>(line.colour) : i;
            draw_line(line, colours[chosen % colours.size()], legend);
            legend += 20;
        }
        return drawn_.finish();
    }

  private:
    using point_of = std::pair<double, double>;
    static range range_of(const line_plot &plot, double point_of::*part) {
        range all;
        for (const series &line : plot.lines) {
            for (const point_of &each : line.points) {
                all = {std::min(all.least, each.*part), std::max(all.most, each.*part)};
            }
        }
        return all;
    }
    void text(double x, double y, const char *anchor, const std::string &content,
              picture::attributes style = {}) {
        style.emplace_back("text-anchor", anchor);
        drawn_.text({x, y}, content, style);
    }
    void draw_axes() {
        const picture::attributes grey{{"stroke", "#e4e4e4"}};
        for (const double mark : across_.marks()) {
            const double x = across_.pixel(mark);
            drawn_.line({x, top}, {x, height - bottom}, grey);
            text(x, height - bottom + 18, "middle", short_number(mark));
        }
        for (const double mark : along_.marks()) {
            const double y = along_.pixel(mark);
            drawn_.line({left, y}, {width - right, y}, grey);
            text(left - 8, y + 4, "end", short_number(mark));
        }
        text((left + width - right) / 2, height - 14, "middle", plot_.x_label);
        const double middle = (top + height - bottom) / 2;
        text(18, middle, "middle", plot_.y_label,
             {{"transform", fmt::format("rotate(-90 18 {:.1f})", middle)}});
    }
    void draw_line(const series &line, const std::string &colour, double legend) {
        picture::attributes style{{"stroke", colour}, {"stroke-width", "2"}};
        if (line.dashed) {
            style.emplace_back("stroke-dasharray", "5 4");
        }
        std::vector<picture::point> points;
        for (const auto &[x, y] : line.points) {
            points.push_back({across_.pixel(x), along_.pixel(y)});
        }
        drawn_.lines(points, style);
        for (std::size_t i = 0; line.marks && i < points.size(); ++i) {
            const picture::point &each = points[i];
            drawn_.circle(each, 3, {{"fill", line.dashed ? "white" : colour}, {"stroke", colour}});
        }
        drawn_.line({width - right + 14, legend}, {width - right + 40, legend}, style);
        text(width - right + 46, legend + 4, "start", line.name);
    }

    const line_plot &plot_;
    axis across_, along_;
    picture::drawing drawn_{width, height};
};

} // namespace

std::string draw(const line_plot &plot) {
    return plotter{plot}.draw();
}

} // namespace lisle::tile::study
