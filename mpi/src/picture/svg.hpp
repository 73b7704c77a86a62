// SPDX-License-Identifier: Apache-2.0
// A drawing as SVG, written element by element: for every product that draws. Headers only.
#pragma once

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lisle::picture {

/// A length or a place in pixels, to a hundredth.
[[nodiscard]] inline std::string number(double pixels) {
    char digits[32];
    const double rounded = std::round(pixels * 100) / 100;
    return {digits, std::to_chars(digits, digits + sizeof digits, rounded == 0 ? 0.0 : rounded).ptr};
}

/// Text of the user's, as it may stand in a drawing.
[[nodiscard]] inline std::string escaped(std::string_view text) {
    std::string safe;
    for (const char letter : text) {
        switch (letter) {
        case '<':
            safe += "&lt;";
            break;
        case '>':
            safe += "&gt;";
            break;
        case '&':
            safe += "&amp;";
            break;
        case '"':
            safe += "&quot;";
            break;
        default:
            safe += letter;
        }
    }
    return safe;
}

/// What an element has besides its place: SVG's own names and values, {{"fill", "red"}, {"rx", number(5)}}.
using attributes = std::vector<std::pair<const char *, std::string>>;
struct point {
    double x, y;
};

/// Elements lie above those that were drawn before them.
class drawing {
  public:
    drawing(double width, double height) : width_{width}, height_{height} {}

    /// @param hint shown while the pointer is over it
    void rectangle(point corner, double width, double height, const attributes &style,
                   std::string_view hint = {}) {
        element("rect",
                {{"x", number(corner.x)},
                 {"y", number(corner.y)},
                 {"width", number(width)},
                 {"height", number(height)}},
                style, hint.empty() ? std::string{} : "<title>" + escaped(hint) + "</title>");
    }
    void circle(point middle, double radius, const attributes &style) {
        element("circle", {{"cx", number(middle.x)}, {"cy", number(middle.y)}, {"r", number(radius)}}, style);
    }
    void line(point from, point to, const attributes &style) {
        element("line",
                {{"x1", number(from.x)}, {"y1", number(from.y)}, {"x2", number(to.x)}, {"y2", number(to.y)}},
                style);
    }
    void lines(const std::vector<point> &through, const attributes &style) {
        std::string points;
        for (const point &each : through) {
            points += number(each.x) + ',' + number(each.y) + ' ';
        }
        element("polyline", {{"points", points}, {"fill", "none"}}, style);
    }
    /// A curve that leaves and arrives in the direction of two more points.
    void curve(point from, point leaves_to, point comes_from, point to, const attributes &style) {
        std::string way = "M" + number(from.x) + ' ' + number(from.y) + " C";
        for (const point &each : {leaves_to, comes_from, to}) {
            way += number(each.x) + ' ' + number(each.y) + ' ';
        }
        element("path", {{"d", way}, {"fill", "none"}}, style);
    }
    void text(point at, std::string_view content, const attributes &style = {}) {
        element("text", {{"x", number(at.x)}, {"y", number(at.y)}}, style, escaped(content));
    }

    /// The whole file, on a white ground.
    [[nodiscard]] std::string finish() const {
        const std::string width = number(width_), height = number(height_);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + ' ' + height +
               "\" width=\"" + width + "\" height=\"" + height +
               "\" font-family=\"sans-serif\" font-size=\"13\">\n"
               "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
               body_ + "</svg>\n";
    }
    /// For a drawing whose size shows only when all is drawn.
    void resize(double width, double height) noexcept {
        width_ = width;
        height_ = height;
    }

  private:
    void element(const char *name, const attributes &place, const attributes &style,
                 const std::string &content = {}) {
        body_ += std::string{"<"} + name;
        for (const attributes *const some : {&place, &style}) {
            for (const auto &[attribute, value] : *some) {
                body_ += std::string{" "} + attribute + "=\"" + value + '"';
            }
        }
        body_ += content.empty() ? "/>\n" : ">" + content + "</" + name + ">\n";
    }

    double width_, height_;
    std::string body_;
};

} // namespace lisle::picture
