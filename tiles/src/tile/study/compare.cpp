// SPDX-License-Identifier: Apache-2.0
#include "tile/study/compare.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tile/network/parameters.hpp"

namespace lisle::tile::study {

namespace {

/// A folder that ends with the run.
class temporary_folder {
  public:
    temporary_folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "lisle-tiles-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) {
            throw std::runtime_error{"there is no room for a temporary folder"};
        }
        path_ = pattern;
    }
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_folder(const temporary_folder &) = delete;
    temporary_folder &operator=(const temporary_folder &) = delete;
    [[nodiscard]] const std::filesystem::path &path() const noexcept { return path_; }

  private:
    std::filesystem::path path_;
};

void run(const std::vector<std::string> &words) {
    std::vector<char *> arguments;
    for (const std::string &each : words) {
        arguments.push_back(const_cast<char *>(each.c_str()));
    }
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        throw std::runtime_error{
            fmt::format("{} {} has failed (status {})", words.front(), words.back(), status)};
    }
}

/// What a run on one machine took, by name.
std::map<std::string, double> measure(const std::string &machine, const comparison &asked) {
    parameters built;
    std::ifstream from{machine};
    if (!from) {
        throw std::runtime_error{fmt::format("{} cannot be read", machine)};
    }
    static_cast<void>(read_parameters(built, from, machine));
    const temporary_folder folder;
    const auto launcher = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lislerun";
    const std::int64_t ranks = asked.ranks != 0 ? asked.ranks : built.tiles();
    std::vector<std::string> words{launcher.string(),
                                   "--fabric",
                                   fmt::format("tile:{}x{}", built.width, built.height),
                                   "-n",
                                   std::to_string(ranks),
                                   "--mesh",
                                   machine,
                                   "--trace",
                                   folder.path().string()};
    words.insert(words.end(), asked.program.begin(), asked.program.end());
    run(words);
    std::ifstream summary{folder.path() / "summary.csv"};
    std::map<std::string, double> values;
    for (std::string line; std::getline(summary, line);) {
        const auto comma = line.find(',');
        char *end = nullptr;
        const double value = std::strtod(line.c_str() + comma + 1, &end);
        if (*end == '\0') {
            values[line.substr(0, comma)] = value;
        }
    }
    return values;
}

} // namespace

void compare_machines(const comparison &asked) {
    const std::map<std::string, double> first = measure(asked.first, asked);
    const std::map<std::string, double> second = measure(asked.second, asked);
    fmt::print("\n{:<20} {:>16} {:>16} {:>10}\n", "", asked.first, asked.second, "second/first");
    for (const auto &[name, value] : first) {
        const auto other = second.find(name);
        if (other != second.end()) {
            fmt::print("{:<20} {:>16.10g} {:>16.10g} {:>10}\n", name, value, other->second,
                       value == 0 ? "-" : fmt::format("{:.3f}", other->second / value));
        }
    }
}

} // namespace lisle::tile::study
