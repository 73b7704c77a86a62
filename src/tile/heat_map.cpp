// SPDX-License-Identifier: Apache-2.0
#include "tile/heat_map.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include <fmt/format.h>

namespace lisle::tile {

namespace {

constexpr std::array links{side::north, side::east, side::south, side::west};

/// From white over orange to dark red.
std::string heat(double share) {
    constexpr std::array<std::array<double, 3>, 4> stops{
        {{238, 238, 238}, {253, 190, 110}, {227, 74, 51}, {120, 10, 20}}};
    const double at = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    const double part = at - static_cast<double>(below);
    std::array<int, 3> mixed{};
    for (std::size_t i = 0; i < 3; ++i) {
        mixed[i] = static_cast<int>(stops[below][i] * (1 - part) + stops[below + 1][i] * part);
    }
    return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

/// From white to blue.
std::string shade(double share) {
    const double kept = 1 - std::clamp(share, 0.0, 1.0);
    return fmt::format("#{:02x}{:02x}{:02x}", static_cast<int>(70 + 175 * kept),
                       static_cast<int>(130 + 118 * kept), static_cast<int>(190 + 62 * kept));
}

double busy_share(const machine &seen, int tile) {
    const auto waited = seen.counts(tile).cycles[static_cast<std::size_t>(phase::waiting)];
    return seen.now() == 0 ? 0 : 1 - static_cast<double>(waited) / static_cast<double>(seen.now());
}

/// Sizes in pixels; smaller for large meshes, where numbers would not be readable.
struct layout {
    double tile, gap, bar, margin = 24, head = 58, foot = 56;
    bool numbers;
    explicit layout(const mesh_shape &shape) {
        const bool small = std::max(shape.width, shape.height) <= 8;
        tile = small ? 64 : std::max(4.0, 560.0 / std::max(shape.width, shape.height));
        gap = small ? 46 : tile * 0.7;
        bar = small ? 10 : gap / 4;
        numbers = small;
    }
    [[nodiscard]] double x(int column) const { return margin + column * (tile + gap); }
    [[nodiscard]] double y(int row) const { return head + row * (tile + gap); }
};

/// The bar of one direction of a link: the two directions lie side by side.
void draw_link(const layout &place, double x, double y, side exit, const std::string &colour,
               std::ostream &to) {
    const double middle = place.tile / 2;
    double left = 0;
    double top = 0;
    const bool across = exit == side::east || exit == side::west;
    const double shift = exit == side::east || exit == side::north ? -place.bar - 1 : 1;
    if (across) {
        left = exit == side::east ? x + place.tile : x - place.gap;
        top = y + middle + shift;
    } else {
        top = exit == side::south ? y + place.tile : y - place.gap;
        left = x + middle + shift;
    }
    to << fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                      left + (across ? 2 : 0), top + (across ? 0 : 2), across ? place.gap - 4 : place.bar,
                      across ? place.bar : place.gap - 4, colour);
}

} // namespace

busiest_link find_busiest_link(const machine &seen) {
    busiest_link most;
    for (int tile = 0; tile < seen.shape().tiles(); ++tile) {
        for (const side exit : links) {
            const std::int64_t words = seen.network().traffic(tile).words_out[index(exit)];
            if (words > most.words) {
                most = {tile, exit, words};
            }
        }
    }
    return most;
}

std::string describe(const busiest_link &link, const machine &seen) {
    if (link.words == 0) {
        return "none: no word crossed a link";
    }
    const double share = 100.0 * static_cast<double>(link.words) / static_cast<double>(seen.now());
    return fmt::format("{} -> {}: {} words, in {:.1f}% of the cycles", link.tile,
                       seen.shape().neighbour(link.tile, link.exit), link.words, share);
}

void write_heat_map(const machine &seen, const std::string &title, std::ostream &to) {
    const mesh_shape &shape = seen.shape();
    const layout place{shape};
    const busiest_link most = find_busiest_link(seen);
    const double width = std::max(600.0, place.x(shape.width - 1) + place.tile + place.margin);
    const double height = place.y(shape.height - 1) + place.tile + place.foot;
    to << fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                      "width=\"{0:.0f}\" height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"13\">\n"
                      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                      "<text x=\"{2}\" y=\"24\" font-size=\"16\" font-weight=\"bold\">{3}</text>\n"
                      "<text x=\"{2}\" y=\"43\" fill=\"#555\">{4} cycles; busiest link {5}</text>\n",
                      width, height, place.margin, title, seen.now(), describe(most, seen));
    for (int tile = 0; tile < shape.tiles(); ++tile) {
        const double x = place.x(shape.column(tile));
        const double y = place.y(shape.row(tile));
        to << fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:.1f}\" "
                          "fill=\"{}\" stroke=\"#888\" stroke-width=\"{}\"/>\n",
                          x, y, place.tile, place.tile, place.tile / 12, shade(busy_share(seen, tile)),
                          place.numbers ? 1 : 0.3);
        if (place.numbers) {
            to << fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n"
                              "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"11\" "
                              "fill=\"#333\">{:.0f}%</text>\n",
                              x + place.tile / 2, y + place.tile / 2 - 2, tile, x + place.tile / 2,
                              y + place.tile / 2 + 16, 100 * busy_share(seen, tile));
        }
        for (const side exit : links) {
            if (shape.has_neighbour(tile, exit)) {
                const std::int64_t words = seen.network().traffic(tile).words_out[index(exit)];
                const double share =
                    most.words == 0 ? 0 : static_cast<double>(words) / static_cast<double>(most.words);
                draw_link(place, x, y, exit, heat(share), to);
            }
        }
    }
    // The scale.
    const double y = height - 30;
    constexpr int steps = 24;
    for (int i = 0; i < steps; ++i) {
        to << fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"5.2\" height=\"10\" fill=\"{}\"/>\n",
                          place.margin + 5.0 * i, y, heat(i / double(steps - 1)));
    }
    to << fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#333\">words on a link, 0 to {}; tiles: share of "
        "time not waiting</text>\n</svg>\n",
        place.margin + 5.0 * steps + 8, y + 10, most.words);
}

} // namespace lisle::tile
