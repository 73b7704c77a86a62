// SPDX-License-Identifier: Apache-2.0
#include "task/picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "task/builtin.hpp"
#include "task/code.hpp"

namespace lisle::tasks {

namespace {

std::string escaped(const std::string &text) {
    std::string safe;
    for (const char letter : text) {
        safe += letter == '<'   ? "&lt;"
                : letter == '>' ? "&gt;"
                : letter == '&' ? "&amp;"
                : letter == '"' ? "&quot;"
                                : std::string(1, letter);
    }
    return safe;
}

std::string head(double width, double height) {
    std::ostringstream out;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
        << "\" viewBox=\"0 0 " << width << ' ' << height
        << "\" font-family=\"sans-serif\" font-size=\"13\">\n"
        << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    return out.str();
}

/// One box of the graph, with what it waits for below it.
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
        std::string body;
        double y = 20, width = 300;
        for (const function_code &each : text_.functions) {
            if (each.name == "a function") {
                continue; // drawn where it stands
            }
            box tree = box_of(text_.nodes[each.body]);
            place(tree, 20);
            body += "<text x=\"20\" y=\"" + std::to_string(y + 4) + "\" font-weight=\"bold\">" +
                    escaped(each.name) + "</text>\n";
            body += drawn(tree, y + 24);
            width = std::max(width, tree.width + 40);
            y += 24 + row_height * depth(tree) + 20;
        }
        const std::string legend =
            "<g font-size=\"11\"><rect x=\"20\" y=\"" + std::to_string(y) +
            "\" width=\"12\" height=\"12\" fill=\"" + kernel_fill + "\"/><text x=\"36\" y=\"" +
            std::to_string(y + 10) + "\">kernel</text><rect x=\"90\" y=\"" + std::to_string(y) +
            "\" width=\"12\" height=\"12\" fill=\"" + call_fill + "\"/><text x=\"106\" y=\"" +
            std::to_string(y + 10) + "\">function</text><rect x=\"170\" y=\"" + std::to_string(y) +
            "\" width=\"12\" height=\"12\" fill=\"" + control_fill + "\"/><text x=\"186\" y=\"" +
            std::to_string(y + 10) + "\">dashed: in turn</text></g>\n";
        return head(width, y + 30) + body + legend + "</svg>\n";
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
            return "x" + std::to_string(shown.a);
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
            {op::print, "print"}};
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
    static std::string drawn(const box &tree, double y) {
        std::ostringstream out;
        for (const box &part : tree.parts) {
            out << "<path d=\"M" << tree.x << ' ' << y + box_height << " C" << tree.x << ' '
                << y + row_height * 0.8 << ' ' << part.x << ' ' << y + row_height * 0.6 << ' ' << part.x
                << ' ' << y + row_height << "\" fill=\"none\" stroke=\"#777777\""
                << (tree.in_turn ? " stroke-dasharray=\"4 3\"" : "") << "/>\n"
                << drawn(part, y + row_height);
        }
        const double width = own_width(tree);
        out << "<rect x=\"" << tree.x - width / 2 << "\" y=\"" << y << "\" width=\"" << width
            << "\" height=\"" << box_height << "\" rx=\"5\" fill=\"" << tree.fill
            << "\" stroke=\"#555555\"/>\n<text x=\"" << tree.x << "\" y=\"" << y + 18
            << "\" text-anchor=\"middle\">" << escaped(tree.label) << "</text>\n";
        return out.str();
    }
    const code &text_;
    const registry &kernels_;
};

} // namespace

std::string draw_graph(const source &program, const registry &kernels) {
    const code text = compile(program, kernels);
    return grapher{text, kernels}.draw();
}

std::string draw_timeline(const std::vector<trace_event> &events, int tiles) {
    static constexpr const char *colours[] = {"#4c78a8", "#f58518", "#54a24b", "#e45756",
                                              "#72b7b2", "#b279a2", "#eeca3b", "#9d755d"};
    constexpr double left = 70, top = 30, row = 26, width = 900;
    double begin = events.empty() ? 0 : events[0].begin, end = events.empty() ? 1e-3 : events[0].end;
    std::map<std::string, std::size_t> kinds;
    for (const trace_event &each : events) {
        begin = std::min(begin, each.begin);
        end = std::max(end, each.end);
        kinds.try_emplace(each.name, kinds.size());
    }
    const double scale = width / std::max(end - begin, 1e-9);
    std::ostringstream out;
    out << head(left + width + 30, top + row * tiles + 60);
    for (int tile = 0; tile < tiles; ++tile) {
        const double y = top + row * tile;
        out << "<text x=\"" << left - 8 << "\" y=\"" << y + 16 << "\" text-anchor=\"end\">tile " << tile
            << "</text><line x1=\"" << left << "\" x2=\"" << left + width << "\" y1=\"" << y + row - 2
            << "\" y2=\"" << y + row - 2 << "\" stroke=\"#dddddd\"/>\n";
    }
    for (const trace_event &each : events) {
        out << "<rect x=\"" << left + (each.begin - begin) * scale << "\" y=\"" << top + row * each.tile + 2
            << "\" width=\"" << std::max((each.end - each.begin) * scale, 0.5) << "\" height=\"" << row - 6
            << "\" fill=\"" << colours[kinds[each.name] % std::size(colours)] << "\"><title>"
            << escaped(each.name) << ": " << (each.end - each.begin) * 1e6 << " us</title></rect>\n";
    }
    for (int tick = 0; tick <= 4; ++tick) {
        const double x = left + width * tick / 4;
        out << "<text x=\"" << x << "\" y=\"" << top - 10 << "\" text-anchor=\"middle\" font-size=\"11\">"
            << std::round((end - begin) * 1e5 * tick / 4) / 100 << " ms</text>\n";
    }
    double x = left;
    for (const auto &[name, index] : kinds) {
        const double y = top + row * tiles + 20;
        out << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"12\" height=\"12\" fill=\""
            << colours[index % std::size(colours)] << "\"/><text x=\"" << x + 17 << "\" y=\"" << y + 11
            << "\">" << escaped(name) << "</text>\n";
        x += 40 + static_cast<double>(name.size()) * letter_width;
    }
    out << "</svg>\n";
    return out.str();
}

} // namespace lisle::tasks
