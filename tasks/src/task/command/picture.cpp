// SPDX-License-Identifier: Apache-2.0
#include "task/command/picture.hpp"

#include <algorithm>
#include <map>

#include "picture/svg.hpp"
#include "task/language/builtin.hpp"
#include "task/language/code.hpp"

namespace lisle::tasks {

namespace {

/// One box of the graph, with the boxes that it waits for below it.
struct box {
    std::string label;
    const char *fill = "#eeeeee";
    bool in_turn = false; ///< its parts are evaluated one after the other
    std::vector<box> parts;
    double width = 0, x = 0; ///< of the box with all below it; of its middle
};

constexpr double row_height = 64, box_height = 28, gap = 14, letter_width = 7.4;
constexpr const char *kernel_fill = "#bfe3c0", *call_fill = "#c5d8f0", *control_fill = "#f6dfb0",
                     *plain_fill = "#eeeeee";

double own_width(const box &drawn) {
    return static_cast<double>(drawn.label.size()) * letter_width + 16;
}

class grapher {
  public:
    grapher(const code &text, const registry &kernels) : text_{text}, kernels_{kernels} {}

    std::string draw() {
        double y = 20, width = 300;
        for (const function_code &each : text_.functions) {
            if (each.name == "a function") {
                continue; // drawn where it stands
            }
            box tree = box_of(text_.nodes[each.body]);
            place(tree, 20);
            drawn_.text({20, y + 4}, each.name, {{"font-weight", "bold"}});
            draw(tree, y + 24);
            width = std::max(width, tree.width + 40);
            y += 24 + row_height * depth(tree) + 20;
        }
        draw_legend(y);
        drawn_.resize(width, y + 30);
        return drawn_.finish();
    }

  private:
    // Simple expressions are part of their parent's label.
    std::string label_of(const node &shown) const {
        const auto children = text_.children_of(shown);
        switch (shown.what) {
        case op::constant: {
            std::string constant = to_string(text_.constants[shown.a]);
            return constant.size() > 18 ? constant.replace(15, std::string::npos, "...") : constant;
        }
        case op::local:
            return text_.functions[shown.function].slot_names[shown.a];
        case op::builtin: {
            std::string label = "(" + std::string{builtins()[shown.a].name};
            for (const std::uint32_t child : children) {
                label += text_.nodes[child].is_simple ? " " + label_of(text_.nodes[child]) : " ·";
            }
            return label + ")";
        }
        case op::kernel:
            return kernels_.at(shown.a).name();
        case op::call:
            return text_.functions[shown.a].name;
        default:
            return name_of(shown.what);
        }
    }
    static std::string name_of(op what) {
        static const std::map<op, std::string> names{
            {op::apply, "apply"},   {op::choose, "if"},   {op::seq, "seq"},
            {op::par, "par"},       {op::gather, "list"}, {op::let, "let"},
            {op::lambda, "lambda"}, {op::run, "run"},     {op::map, "map"},
            {op::each, "par-for"},  {op::fold, "fold"},   {op::fresh_cell, "variable"},
            {op::assign, "assign"}, {op::read, "read"},   {op::fresh_buffer, "buf"},
            {op::put, "put"},       {op::close, "close"}, {op::stream, "stream"},
            {op::print, "print"},   {op::turns, "for"},   {op::fresh_block, "block"},
            {op::update, "update"}};
        const auto found = names.find(what);
        return found == names.end() ? "?" : found->second;
    }
    box box_of(const node &shown) const {
        box made;
        made.label = label_of(shown);
        if (shown.tile >= 0) {
            made.label += "[" + label_of(text_.nodes[static_cast<std::size_t>(shown.tile)]) + "]";
        }
        if (shown.rank >= 0) {
            made.label += "@" + label_of(text_.nodes[static_cast<std::size_t>(shown.rank)]);
        }
        if (shown.priority >= 0) {
            made.label += "^" + label_of(text_.nodes[static_cast<std::size_t>(shown.priority)]);
        }
        made.in_turn = shown.what == op::seq || shown.what == op::choose || shown.what == op::let;
        made.fill = shown.what == op::kernel                             ? kernel_fill
                    : shown.what == op::call || shown.what == op::lambda ? call_fill
                    : shown.is_simple || shown.what == op::builtin       ? plain_fill
                                                                         : control_fill;
        if (shown.what == op::lambda && text_.functions[shown.a].name == "a function") {
            made.parts.push_back(box_of(text_.nodes[text_.functions[shown.a].body]));
        } else if (shown.what == op::lambda) {
            made.label = text_.functions[shown.a].name;
        }
        for (const std::uint32_t child : text_.children_of(shown)) {
            const node &part = text_.nodes[child];
            if (!part.is_simple || part.what == op::lambda || made.in_turn) {
                made.parts.push_back(box_of(part));
            }
        }
        return made;
    }
    static void place(box &tree, double left) {
        double x = left;
        for (box &part : tree.parts) {
            place(part, x);
            x += part.width + gap;
        }
        const double below = tree.parts.empty() ? 0 : x - gap - left;
        tree.width = std::max(below, own_width(tree));
        if (below < tree.width && !tree.parts.empty()) {
            shift(tree.parts, (tree.width - below) / 2);
        }
        tree.x = left + tree.width / 2;
    }
    static void shift(std::vector<box> &parts, double by) {
        for (box &part : parts) {
            part.x += by;
            shift(part.parts, by);
        }
    }
    static int depth(const box &tree) {
        int deepest = 0;
        for (const box &part : tree.parts) {
            deepest = std::max(deepest, depth(part));
        }
        return deepest + 1;
    }
    void draw(const box &tree, double y) {
        picture::attributes line{{"stroke", "#777777"}};
        if (tree.in_turn) {
            line.emplace_back("stroke-dasharray", "4 3");
        }
        for (const box &part : tree.parts) {
            drawn_.curve({tree.x, y + box_height}, {tree.x, y + row_height * 0.8},
                         {part.x, y + row_height * 0.6}, {part.x, y + row_height}, line);
            draw(part, y + row_height);
        }
        const double width = own_width(tree);
        drawn_.rectangle({tree.x - width / 2, y}, width, box_height,
                         {{"rx", "5"}, {"fill", tree.fill}, {"stroke", "#555555"}});
        drawn_.text({tree.x, y + 18}, tree.label, {{"text-anchor", "middle"}});
    }
    void draw_legend(double y) {
        const picture::attributes small{{"font-size", "11"}};
        drawn_.rectangle({20, y}, 12, 12, {{"fill", kernel_fill}});
        drawn_.text({36, y + 10}, "kernel", small);
        drawn_.rectangle({90, y}, 12, 12, {{"fill", call_fill}});
        drawn_.text({106, y + 10}, "function", small);
        drawn_.rectangle({170, y}, 12, 12, {{"fill", control_fill}});
        drawn_.text({186, y + 10}, "dashed: in turn", small);
    }

    const code &text_;
    const registry &kernels_;
    picture::drawing drawn_{0, 0};
};

} // namespace

std::string draw_graph(const source &program, const registry &kernels) {
    const code text = compile(program, kernels);
    return grapher{text, kernels}.draw();
}

namespace {

constexpr const char *kernel_colours[] = {"#4c78a8", "#f58518", "#54a24b", "#e45756",
                                          "#72b7b2", "#b279a2", "#eeca3b", "#9d755d"};

/// The kernels that each tile ran over time, a row for each tile.
class timeline {
  public:
    timeline(const std::vector<trace_event> &events, int tiles)
        : events_{events}, tiles_{tiles}, drawn_{left + width + 30, top + row * tiles + 60} {
        for (const trace_event &each : events) {
            kinds_.try_emplace(each.name, kinds_.size());
        }
        if (!events.empty()) {
            begin_ = std::ranges::min(events, {}, &trace_event::begin).begin;
            end_ = std::ranges::max(events, {}, &trace_event::end).end;
        }
    }

    std::string draw() {
        for (int tile = 0; tile < tiles_; ++tile) {
            const double y = top + row * tile;
            drawn_.text({left - 8, y + 16}, "tile " + std::to_string(tile), {{"text-anchor", "end"}});
            drawn_.line({left, y + row - 2}, {left + width, y + row - 2}, {{"stroke", "#dddddd"}});
        }
        const double scale = width / std::max(end_ - begin_, 1e-9);
        for (const trace_event &each : events_) {
            const double lasted = each.end - each.begin;
            drawn_.rectangle({left + (each.begin - begin_) * scale, top + row * each.tile + 2},
                             std::max(lasted * scale, 0.5), row - 6, {{"fill", colour(kinds_[each.name])}},
                             each.name + ": " + picture::number(lasted * 1e6) + " us");
        }
        for (int tick = 0; tick <= 4; ++tick) {
            const double milliseconds = (end_ - begin_) * 1e3 * tick / 4;
            drawn_.text({left + width * tick / 4, top - 10}, picture::number(milliseconds) + " ms",
                        {{"text-anchor", "middle"}, {"font-size", "11"}});
        }
        draw_legend();
        return drawn_.finish();
    }

  private:
    static constexpr double left = 70, top = 30, row = 26, width = 900;

    static const char *colour(std::size_t kind) { return kernel_colours[kind % std::size(kernel_colours)]; }
    void draw_legend() {
        double x = left;
        const double y = top + row * tiles_ + 20;
        for (const auto &[name, kind] : kinds_) {
            drawn_.rectangle({x, y}, 12, 12, {{"fill", colour(kind)}});
            drawn_.text({x + 17, y + 11}, name);
            x += 40 + static_cast<double>(name.size()) * letter_width;
        }
    }

    const std::vector<trace_event> &events_;
    const int tiles_;
    double begin_ = 0, end_ = 1e-3;
    std::map<std::string, std::size_t> kinds_; ///< numbers of kernels, which choose their colours
    picture::drawing drawn_;
};

} // namespace

std::string draw_timeline(const std::vector<trace_event> &events, int tiles) {
    return timeline{events, tiles}.draw();
}

} // namespace lisle::tasks
