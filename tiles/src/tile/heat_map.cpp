// SPDX-License-Identifier: Apache-2.0
#include "tile/heat_map.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "picture/svg.hpp"

namespace lisle::tile {

namespace {

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

/// The side of the tile by which a link leaves; side::core: none, the routers are not those of neighbours.
side side_of(const link_traffic &link, const parameters &built) {
    const bool flat = built.joined() == topology::mesh || built.joined() == topology::torus;
    if (!flat || built.concentration_x * built.concentration_y * built.depth != 1) {
        return side::core;
    }
    const mesh_shape shape = built.shape();
    const int across = shape.column(link.to) - shape.column(link.from);
    const int along = shape.row(link.to) - shape.row(link.from);
    if (across != 0) { // the link that closes a row leaves by the other side
        return (across > 0) == (std::abs(across) == 1) ? side::east : side::west;
    }
    return (along > 0) == (std::abs(along) == 1) ? side::south : side::north;
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
               picture::drawing &to) {
    const double middle = place.tile / 2;
    const bool across = exit == side::east || exit == side::west;
    const double shift = exit == side::east || exit == side::north ? -place.bar - 1 : 1;
    if (across) {
        const double left = exit == side::east ? x + place.tile : x - place.gap;
        to.rectangle({left + 2, y + middle + shift}, place.gap - 4, place.bar, {{"fill", colour}});
    } else {
        const double top = exit == side::south ? y + place.tile : y - place.gap;
        to.rectangle({x + middle + shift, top + 2}, place.bar, place.gap - 4, {{"fill", colour}});
    }
}

void draw_tile(const layout &place, double x, double y, int tile, double busy, picture::drawing &to) {
    to.rectangle({x, y}, place.tile, place.tile,
                 {{"rx", picture::number(place.tile / 12)},
                  {"fill", shade(busy)},
                  {"stroke", "#888"},
                  {"stroke-width", place.numbers ? "1" : "0.3"}});
    if (place.numbers) {
        const double middle = place.tile / 2;
        to.text({x + middle, y + middle - 2}, std::to_string(tile), {{"text-anchor", "middle"}});
        to.text({x + middle, y + middle + 16}, fmt::format("{:.0f}%", 100 * busy),
                {{"text-anchor", "middle"}, {"font-size", "11"}, {"fill", "#333"}});
    }
}

/// The legend of the links' colours.
void draw_scale(const layout &place, double y, std::int64_t most_words, picture::drawing &to) {
    constexpr int steps = 24;
    for (int i = 0; i < steps; ++i) {
        to.rectangle({place.margin + 5.0 * i, y}, 5.2, 10, {{"fill", heat(i / double(steps - 1))}});
    }
    to.text({place.margin + 5.0 * steps + 8, y + 10},
            fmt::format("words on a link, 0 to {} (upper half: to the right, left half: up); tiles: share of "
                        "time not waiting",
                        most_words),
            {{"fill", "#333"}});
}

} // namespace

std::string describe(const link_traffic &link, const machine &seen) {
    if (link.words == 0) {
        return "none: no word crossed a link";
    }
    const double share = 100.0 * static_cast<double>(link.words) / static_cast<double>(seen.now());
    const std::string of = link.network == 0 ? "" : fmt::format(" of network {}", link.network);
    return fmt::format("{} -> {}{}: {} words, in {:.1f}% of the cycles", link.from, link.to, of, link.words,
                       share);
}

std::string draw_heat_map(const machine &seen, const std::string &title) {
    const mesh_shape &shape = seen.shape();
    const layout place{shape};
    const std::vector<link_traffic> links = seen.network().links();
    const link_traffic most = find_busiest_link(seen.network());
    const double width = std::max(720.0, place.x(shape.width - 1) + place.tile + place.margin);
    const double height = place.y(shape.height - 1) + place.tile + place.foot;
    picture::drawing drawn{width, height};
    drawn.text({place.margin, 24}, title, {{"font-size", "16"}, {"font-weight", "bold"}});
    drawn.text({place.margin, 43},
               fmt::format("{} cycles; busiest link {}", seen.now(), describe(most, seen)),
               {{"fill", "#555"}});
    for (int tile = 0; tile < shape.tiles(); ++tile) {
        const double x = place.x(shape.column(tile));
        const double y = place.y(shape.row(tile));
        draw_tile(place, x, y, tile, busy_share(seen, tile), drawn);
    }
    for (const link_traffic &each : links) {
        const side exit = side_of(each, seen.built());
        if (exit == side::core || each.network != 0) {
            continue;
        }
        const double share =
            most.words == 0 ? 0 : static_cast<double>(each.words) / static_cast<double>(most.words);
        draw_link(place, place.x(shape.column(each.from)), place.y(shape.row(each.from)), exit, heat(share),
                  drawn);
    }
    draw_scale(place, height - 30, most.words, drawn);
    return drawn.finish();
}

} // namespace lisle::tile
