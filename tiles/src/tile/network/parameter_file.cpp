// SPDX-License-Identifier: Apache-2.0
// Parameters as a text file.
#include <algorithm>
#include <charconv>
#include <istream>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "tile/network/parameters.hpp"

namespace lisle::tile {

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const auto first = text.find_first_not_of(blanks);
    if (first == text.npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

[[noreturn]] void refuse(const std::string &sentence) {
    throw std::invalid_argument(sentence);
}

std::int64_t number_from(std::string_view digits) {
    std::int64_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) {
        refuse("\"" + std::string(digits) + "\" is not a whole number");
    }
    return value;
}

int router_from(std::string_view digits) {
    constexpr std::int64_t most = 1 << 24;
    const std::int64_t router = number_from(digits);
    if (router < 0 || router > most) {
        refuse("router " + std::to_string(router) + " is outside 0 to " + std::to_string(most));
    }
    return static_cast<int>(router);
}

std::int64_t value_from(std::string_view name, std::string_view text) {
    for (const parameter &row : parameter_table()) {
        if (row.name != name || row.choices.empty()) {
            continue;
        }
        std::string all;
        for (std::size_t i = 0; i < row.choices.size(); ++i) {
            if (row.choices[i] == text) {
                return static_cast<std::int64_t>(i);
            }
            all += (i == 0 ? "" : ", ") + std::string(row.choices[i]);
        }
        refuse(std::string(name) + " is one of " + all + ", not \"" + std::string(text) + "\"");
    }
    return number_from(text);
}

/// The places that a line has of its own, and the name under which a second one of it is refused.
std::string read_line(parameters &changed, const std::string &name, std::string_view text) {
    if (name == "link" || name == "broken_link") {
        link_change read = read_link(text);
        read.broken = name == "broken_link";
        changed.links.push_back(read);
        const auto [low, high] = std::minmax(read.from, read.to);
        return "link " + std::to_string(low) + " " + std::to_string(high);
    }
    if (name == "broken_router") {
        changed.broken_routers.push_back(router_from(text));
        return name + " " + std::to_string(changed.broken_routers.back());
    }
    if (name == "graph") {
        changed.graph = text;
    } else {
        set_parameter(changed, name, value_from(name, text));
    }
    return name;
}

/// A graph's file lies where the file that names it does, unless its name says where.
void complete_path(std::string &graph, const std::string &file) {
    const auto slash = file.rfind('/');
    if (!graph.empty() && graph.front() != '/' && slash != file.npos) {
        graph = file.substr(0, slash + 1) + graph;
    }
}

} // namespace

link_change read_link(std::string_view words) {
    std::istringstream from{std::string(words)};
    std::string first;
    std::string second;
    if (!(from >> first >> second)) {
        refuse("a link is \"A B [width N] [period N] [latency N]\", not \"" + std::string(words) + "\"");
    }
    link_change read{.from = router_from(first), .to = router_from(second)};
    std::string what;
    for (std::string value; from >> what;) {
        std::int64_t *const part = what == "width"     ? &read.width
                                   : what == "period"  ? &read.period
                                   : what == "latency" ? &read.latency
                                                       : nullptr;
        if (part == nullptr || !(from >> value)) {
            refuse("a link has \"width N\", \"period N\" and \"latency N\", not \"" + what + "\"");
        }
        if (*part != 0) {
            refuse("the link's " + what + " stands twice");
        }
        *part = number_from(value);
        if (*part < 1 || *part > 1000) {
            refuse("the link's " + what + " = " + value + " is outside 1 to 1000");
        }
    }
    return read;
}

std::set<std::string> read_parameters(parameters &changed, std::istream &from, const std::string &file) {
    std::set<std::string> names;
    std::string whole;
    for (int number = 1; std::getline(from, whole); ++number) {
        const std::string_view line = trimmed(std::string_view(whole).substr(0, whole.find('#')));
        if (line.empty()) {
            continue;
        }
        const std::string place = file + ":" + std::to_string(number) + ": ";
        const auto equals = line.find('=');
        if (equals == line.npos) {
            refuse(place + "expected \"name = value\", found \"" + std::string(line) + "\"");
        }
        const std::string name{trimmed(line.substr(0, equals))};
        try {
            const std::string once = read_line(changed, name, trimmed(line.substr(equals + 1)));
            if (!names.insert(once).second) {
                refuse(once + " stands twice");
            }
        } catch (const std::invalid_argument &wrong) {
            refuse(place + wrong.what());
        }
    }
    if (names.contains("graph")) {
        complete_path(changed.graph, file);
    }
    return names;
}

void write_parameters(const parameters &written, std::ostream &to) {
    for (const parameter &row : parameter_table()) {
        to << "# " << row.meaning << ", in " << row.unit << "\n# source: " << row.source << '\n'
           << row.name << " = ";
        const std::int64_t value = written.*row.value;
        if (row.choices.empty()) {
            to << value << "\n\n";
        } else {
            to << row.choices[static_cast<std::size_t>(value)] << "\n\n";
        }
    }
    if (!written.graph.empty()) {
        to << "graph = " << written.graph << '\n';
    }
    for (const link_change &each : written.links) {
        to << (each.broken ? "broken_link = " : "link = ") << each.from << ' ' << each.to;
        const auto part = [&](const char *name, std::int64_t value) {
            if (value != 0) {
                to << ' ' << name << ' ' << value;
            }
        };
        part("width", each.width);
        part("period", each.period);
        part("latency", each.latency);
        to << '\n';
    }
    for (const int router : written.broken_routers) {
        to << "broken_router = " << router << '\n';
    }
}

} // namespace lisle::tile
