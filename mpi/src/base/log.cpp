// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <unistd.h>

#include "base/settings.hpp"
#include "base/text.hpp"

namespace lisle {

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(log_area::count)> area_names{
    "matching", "eager", "rendezvous", "network", "collective", "window", "file", "launch"};

std::string_view take_word(std::string_view &rest, char end) {
    const auto length = rest.find(end);
    const std::string_view word = rest.substr(0, length);
    rest.remove_prefix(length == std::string_view::npos ? rest.size() : length + 1);
    return word;
}

/// The lines' way out: the error output, or files.
class log_files {
  public:
    explicit log_files(std::string pattern) : pattern_{std::move(pattern)} {}

    /// To be written to in one piece: others write there too.
    int of(int rank) {
        if (pattern_.empty()) {
            return STDERR_FILENO;
        }
        const std::scoped_lock guard{opening_};
        const auto [found, is_new] =
            files_.try_emplace(pattern_.find("%r") == std::string::npos ? 0 : rank, -1);
        if (is_new) {
            found->second = open(name_for(rank).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        }
        return found->second >= 0 ? found->second : STDERR_FILENO;
    }

  private:
    [[nodiscard]] std::string name_for(int rank) const {
        std::string name;
        for (std::size_t i = 0; i < pattern_.size(); ++i) {
            const char next = pattern_[i] == '%' && i + 1 < pattern_.size() ? pattern_[i + 1] : '\0';
            if (next != 'r' && next != 'p') {
                name += pattern_[i];
                continue;
            }
            name += std::to_string(next == 'r' ? rank : static_cast<int>(getpid()));
            ++i;
        }
        return name;
    }

    const std::string pattern_;
    std::mutex opening_;
    std::map<int, int> files_;
};

/// Never destroyed: threads log until the end of the process.
const log_choice &chosen() {
    static const log_choice &read = *[] {
        const std::string &text = text_of(setting::log);
        auto *const made = new log_choice{log_choice::of(text)};
        if (!made->wrong.empty()) {
            std::fprintf(stderr,
                         "lisle: LISLE_LOG=%s: %.*s is neither a level (off, events, packets) nor an area "
                         "(matching, eager, "
                         "rendezvous, network, collective, window, file, launch)\n",
                         text.c_str(), static_cast<int>(made->wrong.size()), made->wrong.data());
            made->level = log_level::off;
        }
        return made;
    }();
    return read;
}

} // namespace

log_choice log_choice::of(std::string_view text) {
    constexpr std::uint8_t all_areas = (1U << static_cast<unsigned>(log_area::count)) - 1;
    log_choice made;
    const std::string_view level = take_word(text, ':');
    if (level == "events" || level == "1") {
        made.level = log_level::events;
    } else if (level == "packets" || level == "2") {
        made.level = log_level::packets;
    } else if (!level.empty() && level != "off" && level != "0") {
        made.wrong = level;
    }
    const std::string_view areas = take_word(text, ':');
    for (const std::string_view area : words_of(areas, ",")) {
        std::size_t place = 0;
        while (place < area_names.size() && area_names[place] != area) {
            ++place;
        }
        if (place < area_names.size()) {
            made.areas = static_cast<std::uint8_t>(made.areas | 1U << place);
        } else {
            made.wrong = area;
        }
    }
    made.areas = areas.empty() ? all_areas : made.areas;
    made.file = text;
    return made;
}

bool logs(log_area area, log_level least) noexcept {
    return chosen().has(area, least);
}

void log_line(log_area area, int rank, std::string_view text) noexcept {
    try {
        static log_files &files = *new log_files{chosen().file};
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        char front[80];
        const int length = std::snprintf(front, sizeof front, "%lld.%06ld [%d] ",
                                         static_cast<long long>(now.tv_sec), now.tv_nsec / 1000, rank);
        std::string line{front, static_cast<std::size_t>(length)};
        line += area_names[static_cast<std::size_t>(area)];
        line += ": ";
        line += text;
        line += '\n';
        [[maybe_unused]] const auto written = write(files.of(rank), line.data(), line.size());
    } catch (const std::exception &) {
        // no memory: the line is missing
    }
}

std::string hexadecimal(std::uint64_t number) {
    char digits[16];
    return {digits, std::to_chars(digits, digits + sizeof digits, number, 16).ptr};
}

} // namespace lisle
