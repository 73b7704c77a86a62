// SPDX-License-Identifier: Apache-2.0
#include "base/process_status.hpp"

#include <charconv>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/owned_descriptor.hpp"
#include "base/text.hpp"

namespace lisle {

namespace {

/// @param number from 3 on, as proc(5) counts the fields of `stat`
std::string field_of(pid_t process, std::size_t number) {
    const std::string stat = content_of_process(process, "stat");
    // The second field is a name in brackets, which may contain anything.
    const std::size_t behind_name = stat.rfind(')');
    if (behind_name == std::string::npos) {
        return {};
    }
    const auto fields = words_of(std::string_view{stat}.substr(behind_name + 1), " \n");
    return number - 3 < fields.size() ? std::string{fields[number - 3]} : std::string{};
}

} // namespace

// Not with a stream: its buffer throws if the process ends before it is read.
std::string content_of_process(pid_t process, const char *file) {
    const owned_descriptor opened{open(sentence("/proc/", process, "/", file).c_str(), O_RDONLY | O_CLOEXEC)};
    std::string content;
    char piece[4096];
    for (ssize_t length = 0; opened && (length = read(opened.get(), piece, sizeof piece)) > 0;) {
        content.append(piece, static_cast<std::size_t>(length));
    }
    return content;
}

std::string begin_of_process(pid_t process) {
    constexpr std::size_t start_time = 22;
    return field_of(process, start_time);
}

pid_t parent_of(pid_t process) {
    constexpr std::size_t parent = 4;
    const std::string text = field_of(process, parent);
    pid_t found = 0;
    std::from_chars(text.data(), text.data() + text.size(), found);
    return found;
}

} // namespace lisle
