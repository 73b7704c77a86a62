// SPDX-License-Identifier: Apache-2.0
#include "base/control_groups.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace lisle {

namespace {

void add_with_those_around(std::vector<control_group> &found, const std::filesystem::path &root,
                           std::string path, int version) {
    while (true) {
        found.push_back({root / path.substr(std::min<std::size_t>(1, path.size())), version});
        if (path.size() <= 1) {
            return;
        }
        path.resize(std::max<std::size_t>(1, path.rfind('/')));
    }
}

} // namespace

std::vector<control_group> control_groups(std::string_view controller) {
    const std::filesystem::path mount = "/sys/fs/cgroup";
    std::vector<control_group> found;
    std::ifstream membership{"/proc/self/cgroup"};
    for (std::string line; std::getline(membership, line);) { // number:controllers:path
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const auto controllers = line.substr(first + 1, second - first - 1);
        const auto path = line.substr(second + 1);
        if (controllers.empty()) {
            add_with_those_around(found, mount, path, 2);
        } else if (controllers == controller) {
            add_with_those_around(found, mount / controller, path, 1);
        }
    }
    return found;
}

std::optional<std::uint64_t> number_in(const std::filesystem::path &file) {
    std::uint64_t number = 0;
    return std::ifstream{file} >> number ? std::optional{number} : std::nullopt;
}

std::uint64_t entries_in(const std::filesystem::path &file, std::initializer_list<std::string_view> names) {
    std::ifstream stream{file};
    std::uint64_t sum = 0;
    for (std::string line; std::getline(stream, line);) { // name and number, and perhaps a unit
        std::istringstream words{line};
        std::string name;
        std::uint64_t value = 0;
        words >> name >> value;
        sum += std::find(names.begin(), names.end(), name) != names.end() ? value : 0;
    }
    return sum;
}

} // namespace lisle
