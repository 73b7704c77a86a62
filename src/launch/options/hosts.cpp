// SPDX-License-Identifier: Apache-2.0
#include "launch/options/hosts.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <sys/utsname.h>

#include "launch/launch_error.hpp"
#include "launch/options/values.hpp"

namespace lisle::launch {

namespace {

bool is_this_machine(std::string_view name) {
    const auto own = host_name();
    const std::string_view whole = own;
    return name == "localhost" || name == "127.0.0.1" || name == "::1" || name == whole ||
           name == whole.substr(0, whole.find('.')) || (name.starts_with(own) && name[own.size()] == '.');
}

/// NAME or NAME:SLOTS.
int slots_of_entry(std::string_view shown, std::string_view list, std::string_view entry) {
    const auto colon = entry == "::1" ? std::string_view::npos : entry.rfind(':');
    const auto host = entry.substr(0, colon);
    if (!is_this_machine(host)) {
        give_up(exit_usage, shown, " ", list, ": '", host,
                "' is another machine, and Lisle starts jobs on this machine only");
    }
    if (colon == std::string_view::npos || entry.substr(colon + 1) == "*") {
        return 1;
    }
    return positive_number(shown, entry.substr(colon + 1));
}

} // namespace

std::string host_name() {
    utsname about{};
    uname(&about);
    return about.nodename;
}

int slots_of_hosts(std::string_view shown, std::string_view list) {
    int sum = 0;
    for (const auto entry : split(list, ',')) {
        sum += slots_of_entry(shown, list, entry);
    }
    return sum;
}

int slots_of_host_file(std::string_view shown, const std::string &path) {
    std::ifstream file{path};
    if (!file) {
        give_up(exit_usage, shown, " ", path, ": the file cannot be read: ", std::strerror(errno));
    }
    int sum = 0;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words{line.substr(0, line.find('#'))};
        std::string host;
        if (!(words >> host)) {
            continue;
        }
        int slots = slots_of_entry(shown, path, host);
        for (std::string word; words >> word;) {
            if (word.starts_with("slots=")) {
                slots = positive_number(shown, std::string_view{word}.substr(6));
            }
        }
        sum += slots;
    }
    if (sum == 0) {
        give_up(exit_usage, shown, " ", path, ": the file names no host");
    }
    return sum;
}

} // namespace lisle::launch
