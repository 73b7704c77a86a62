// SPDX-License-Identifier: Apache-2.0
#include "launch/options/hosts.hpp"
#include "base/text.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "launch/common/launch_error.hpp"
#include "launch/options/values.hpp"

namespace lisle::launch {

namespace {

/// NAME or NAME:SLOTS.
host_slots entry_of(std::string_view shown, std::string_view entry) {
    const auto colon = entry == "::1" ? std::string_view::npos : entry.rfind(':');
    const auto name = entry.substr(0, colon);
    const bool counted = colon != std::string_view::npos && entry.substr(colon + 1) != "*";
    if (name.empty()) {
        give_up(exit_usage, shown, ": '", entry, "' names no host");
    }
    return {std::string{name}, counted ? positive_number(shown, entry.substr(colon + 1)) : 1};
}

} // namespace

std::vector<host_slots> hosts_in_list(std::string_view shown, std::string_view list) {
    std::vector<host_slots> hosts;
    for (const auto entry : split(list, ',')) {
        hosts.push_back(entry_of(shown, entry));
    }
    return hosts;
}

std::vector<host_slots> hosts_in_file(std::string_view shown, const std::string &path) {
    std::ifstream file{path};
    if (!file) {
        give_up(exit_usage, shown, " ", path, ": the file cannot be read: ", std::strerror(errno));
    }
    std::vector<host_slots> hosts;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words{line.substr(0, line.find('#'))};
        std::string name;
        if (!(words >> name)) {
            continue;
        }
        host_slots &host = hosts.emplace_back(entry_of(shown, name));
        for (std::string word; words >> word;) {
            if (word.starts_with("slots=")) {
                host.slots = positive_number(shown, std::string_view{word}.substr(6));
            }
        }
    }
    if (hosts.empty()) {
        give_up(exit_usage, shown, " ", path, ": the file names no host");
    }
    return hosts;
}

} // namespace lisle::launch
