// SPDX-License-Identifier: Apache-2.0
#include "couple/run_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>

#include "picture/svg.hpp"

namespace lisle::couple::detail {

namespace {

using picture::number;
using picture::point;

constexpr double width = 900, margin = 30, line_height = 18;
constexpr double box_width = 150, box_height = 54;
constexpr const char *box_fill = "#dfe8f3", *busy_fill = "#8fbf8f", *wait_fill = "#e08a6a", *pale = "#666666";

std::string seconds(double time) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), time < 1 ? "%.3g s" : "%.1f s", time);
    return text.data();
}
std::string percent(double part) {
    return std::to_string(std::lround(part * 100)) + " %";
}

/// Components around an ellipse, and a curve for each two of which one gets something from the other.
class graph {
  public:
    graph(picture::drawing &into, const std::vector<declaration> &all,
          const std::vector<component_activity> &activities)
        : into_{into}, all_{all}, activities_{activities} {}

    /// @return where it ends
    double draw(double top) {
        const auto count = static_cast<double>(all_.size());
        const double high = all_.size() < 3 ? 60 : 130 + 10 * count, across = width / 2 - margin - box_width;
        for (std::size_t at = 0; at != all_.size(); ++at) {
            const double angle = std::numbers::pi * (2 * static_cast<double>(at) / count - 1);
            middles_.push_back({width / 2 + across * std::cos(angle),
                                top + high + box_height / 2 + 20 + high * std::sin(angle)});
        }
        for (const auto &[pair, fields] : flows()) {
            draw_flow(middles_[pair.first], middles_[pair.second], fields);
        }
        for (std::size_t at = 0; at != all_.size(); ++at) {
            draw_box(at);
        }
        return top + 2 * high + box_height + 40;
    }

  private:
    using flow_list = std::map<std::pair<std::size_t, std::size_t>, std::vector<std::string>>;
    [[nodiscard]] flow_list flows() const {
        flow_list found;
        for (std::size_t to = 0; to != all_.size(); ++to) {
            for (const declared_want &each : all_[to].wants) {
                const auto from = std::ranges::find(all_, each.from, &declaration::component);
                found[{static_cast<std::size_t>(from - all_.begin()), to}].push_back(
                    each.field + " (" + name_of(each.how) + (each.is_iterated ? ", iterated" : "") +
                    (each.regrids ? ", regridded)" : ")"));
            }
        }
        return found;
    }
    void draw_flow(point from, point to, const std::vector<std::string> &fields) {
        // Bent to one side, so that the way back lies on the other.
        const double x = to.x - from.x, y = to.y - from.y, long_way = std::max(std::hypot(x, y), 1.0);
        const point side{-y / long_way * 46, x / long_way * 46};
        const point first{from.x + x / 3 + side.x, from.y + y / 3 + side.y},
            second{from.x + 2 * x / 3 + side.x, from.y + 2 * y / 3 + side.y};
        into_.curve(from, first, second, to, {{"stroke", pale}, {"stroke-width", "1.5"}});
        const point middle{from.x + x / 2 + side.x * 0.75, from.y + y / 2 + side.y * 0.75};
        const double turn = 9; // the arrow's head, at the curve's middle
        const point ahead{x / long_way * turn, y / long_way * turn};
        into_.lines({{middle.x - ahead.x - ahead.y / 2, middle.y - ahead.y + ahead.x / 2},
                     middle,
                     {middle.x - ahead.x + ahead.y / 2, middle.y - ahead.y - ahead.x / 2}},
                    {{"stroke", pale}, {"stroke-width", "1.5"}});
        double line = middle.y + (side.y > 8    ? 16
                                  : side.y < -8 ? -8 - 14 * (static_cast<double>(fields.size()) - 1)
                                                : 4);
        for (const std::string &each : fields) {
            into_.text({middle.x + (side.x > 8    ? 10
                                    : side.x < -8 ? -10
                                                  : 0),
                        line},
                       each,
                       {{"font-size", "12"},
                        {"text-anchor", side.x > 8    ? "start"
                                        : side.x < -8 ? "end"
                                                      : "middle"}});
            line += 14;
        }
    }
    void draw_box(std::size_t at) {
        const point middle = middles_[at];
        const steps &when = all_[at].when;
        into_.rectangle({middle.x - box_width / 2, middle.y - box_height / 2}, box_width, box_height,
                        {{"fill", box_fill}, {"stroke", pale}, {"rx", "6"}});
        into_.text({middle.x, middle.y - 6}, all_[at].component,
                   {{"text-anchor", "middle"}, {"font-weight", "bold"}});
        const int ranks = activities_[at].ranks;
        into_.text({middle.x, middle.y + 12},
                   std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") + ", steps of " +
                       std::to_string(when.period),
                   {{"text-anchor", "middle"}, {"font-size", "12"}});
    }

    picture::drawing &into_;
    const std::vector<declaration> &all_;
    const std::vector<component_activity> &activities_;
    std::vector<point> middles_;
};

/// A component's time from left to right: which part of it its ranks computed, and which they waited.
void draw_row(picture::drawing &into, double top, const std::string &name, const component_activity &of,
              double stretch, double longest) {
    constexpr double row_height = 46, left = margin + 110, right = width - margin - 150;
    into.text({margin, top + row_height / 2 + 4}, name, {{"font-weight", "bold"}});
    const double scale = (right - left) / longest;
    into.rectangle({left, top}, of.length * scale, row_height, {{"fill", busy_fill}});
    constexpr std::size_t together = 4; // narrower bars cannot be seen
    for (std::size_t at = 0; at != activity::stretches; at += together) {
        const double from = static_cast<double>(at) * stretch,
                     to = std::min(from + stretch * together, of.length);
        double part = 0;
        for (std::size_t each = at; each != at + together; ++each) {
            part += of.parts[each] * stretch;
        }
        part = std::clamp(part / (to - from), 0.0, 1.0);
        if (from < to && part > 0.005) {
            into.rectangle({left + from * scale, top}, (to - from) * scale, row_height * part,
                           {{"fill", wait_fill}}, seconds(from) + ": " + percent(part) + " waiting");
        }
    }
    into.text({right + 12, top + 16}, percent(of.waited) + " waiting");
    into.text({right + 12, top + 34}, "ranks: " + percent(of.least_waited) + " to " + percent(of.most_waited),
              {{"font-size", "12"}, {"fill", pale}});
}

} // namespace

std::string run_picture(const std::vector<declaration> &all,
                        const std::vector<component_activity> &activities, double stretch) {
    picture::drawing drawn{width, 0};
    drawn.text({margin, 26}, "Components and what they exchange",
               {{"font-weight", "bold"}, {"font-size", "15"}});
    double top = graph{drawn, all, activities}.draw(40);
    drawn.text({margin, top + 10}, "Computing and waiting for others",
               {{"font-weight", "bold"}, {"font-size", "15"}});
    drawn.rectangle({margin + 330, top - 1}, 12, 12, {{"fill", busy_fill}});
    drawn.text({margin + 347, top + 10}, "computing");
    drawn.rectangle({margin + 430, top - 1}, 12, 12, {{"fill", wait_fill}});
    drawn.text({margin + 447, top + 10}, "waiting");
    top += 28;
    double longest = 1e-9;
    for (const component_activity &each : activities) {
        longest = std::max(longest, each.length);
    }
    for (std::size_t at = 0; at != all.size(); ++at) {
        draw_row(drawn, top, all[at].component, activities[at], stretch, longest);
        top += 58;
    }
    drawn.text({margin + 110, top + 4}, "0 s", {{"font-size", "12"}, {"fill", pale}});
    drawn.text({width - margin - 150, top + 4}, seconds(longest),
               {{"font-size", "12"}, {"fill", pale}, {"text-anchor", "end"}});
    drawn.resize(width, top + line_height);
    return drawn.finish();
}

} // namespace lisle::couple::detail
