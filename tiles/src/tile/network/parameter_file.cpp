// SPDX-License-Identifier: Apache-2.0
// Parameters as a text file.
#include <algorithm>
#include <array>
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

std::string word_for(std::string_view name, std::int64_t value) {
    const auto row = std::find_if(parameter_table().begin(), parameter_table().end(),
                                  [&](const parameter &each) { return each.name == name; });
    const bool is_word = row != parameter_table().end() && !row->choices.empty();
    return is_word ? std::string(row->choices[static_cast<std::size_t>(value)]) : std::to_string(value);
}

int network_from(std::string_view digits) {
    const std::int64_t which = number_from(digits);
    if (which < 0 || which >= parameters::most_networks) {
        refuse("network " + std::to_string(which) + " is outside 0 to " +
               std::to_string(parameters::most_networks - 1));
    }
    return static_cast<int>(which);
}

/// "N NAME VALUE [NAME VALUE]...": what network N has instead of the parameters of those names.
void read_network(parameters &changed, std::string_view text) {
    std::istringstream from{std::string(text)};
    std::string which;
    from >> which;
    const int number = network_from(which);
    if (number == 0) {
        refuse("network 0 is described by the other lines");
    }
    const std::size_t before = changed.others.size();
    std::string name;
    for (std::string value; from >> name;) {
        if (!(from >> value)) {
            refuse("network " + which + " has no value for " + name);
        }
        const bool twice =
            std::any_of(changed.others.begin(), changed.others.end(), [&](const network_parameter &each) {
                return each.network == number && each.name == name;
            });
        if (twice) {
            refuse(name + " of network " + which + " stands twice");
        }
        changed.others.push_back({number, name, value_from(name, value)});
    }
    if (changed.others.size() == before) {
        refuse("a network is \"N NAME VALUE [NAME VALUE]...\", not \"" + std::string(text) + "\"");
    }
}

constexpr std::array<std::string_view, packet_classes> classes{"control", "small", "large"};

/// "CLASS N" or "CLASS all": which network carries packets of a class. @return the class
std::string read_carrying(parameters &changed, std::string_view text) {
    std::istringstream from{std::string(text)};
    std::string name;
    std::string network;
    from >> name >> network;
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end() || network.empty()) {
        refuse("packets are \"control N\", \"small N\" or \"large N\", with a network's number or \"all\", "
               "not \"" +
               std::string(text) + "\"");
    }
    changed.carried_by[static_cast<std::size_t>(found - classes.begin())] =
        network == "all" ? parameters::all_in_turn : network_from(network);
    return name;
}

/// The places that a line has of its own, and the name under which a second one of it is refused.
std::string read_line(parameters &changed, const std::string &name, std::string_view text) {
    if (name == "link" || name == "broken_link") {
        link_change read = read_link(text);
        read.broken = name == "broken_link";
        changed.links.push_back(read);
        const auto [low, high] = std::minmax(read.from, read.to);
        return "link " + std::to_string(low) + " " + std::to_string(high) +
               (read.network == 0 ? "" : " of network " + std::to_string(read.network));
    }
    if (name == "network") {
        read_network(changed, text);
        return name + " " + std::to_string(changed.others.size()); // one network may have several lines
    }
    if (name == "packets") {
        return name + " " + read_carrying(changed, text);
    }
    if (name == "broken_router") {
        changed.broken_routers.push_back(router_from(text));
        return name + " " + std::to_string(changed.broken_routers.back());
    }
    if (name == "graph") {
        changed.graph = text;
    } else if (name == "extension") {
        changed.extension = text;
    } else {
        set_parameter(changed, name, value_from(name, text));
    }
    return name;
}

/// A file lies where the file that names it does, unless its name says where.
void complete_path(std::string &named, const std::string &file) {
    const auto slash = file.rfind('/');
    if (!named.empty() && named.front() != '/' && slash != file.npos) {
        named = file.substr(0, slash + 1) + named;
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
        if (what == "network" && from >> value) {
            read.network = network_from(value);
            continue;
        }
        std::int64_t *const part = what == "width"     ? &read.width
                                   : what == "period"  ? &read.period
                                   : what == "latency" ? &read.latency
                                                       : nullptr;
        if (part == nullptr || !(from >> value)) {
            refuse("a link has \"width N\", \"period N\", \"latency N\" and \"network N\", not \"" + what +
                   "\"");
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
    if (names.contains("extension")) {
        complete_path(changed.extension, file);
    }
    return names;
}

void write_parameters(const parameters &written, std::ostream &to) {
    for (const parameter &row : parameter_table()) {
        to << "# " << row.meaning << ", in " << row.unit << "\n# source: " << row.source << '\n'
           << row.name << " = " << word_for(row.name, written.*row.value) << "\n\n";
    }
    if (!written.graph.empty()) {
        to << "graph = " << written.graph << '\n';
    }
    if (!written.extension.empty()) {
        to << "extension = " << written.extension << '\n';
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
        part("network", each.network);
        to << '\n';
    }
    for (const network_parameter &each : written.others) {
        to << "network = " << each.network << ' ' << each.name << ' ' << word_for(each.name, each.value)
           << '\n';
    }
    for (std::size_t i = 0; i < packet_classes; ++i) {
        if (const int by = written.carried_by[i]; by != 0) {
            to << "packets = " << classes[i] << ' ' << (by < 0 ? "all" : std::to_string(by)) << '\n';
        }
    }
    for (const int router : written.broken_routers) {
        to << "broken_router = " << router << '\n';
    }
}

} // namespace lisle::tile
