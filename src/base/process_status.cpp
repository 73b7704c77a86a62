// SPDX-License-Identifier: Apache-2.0
#include "base/process_status.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/error.hpp"

namespace lisle {

namespace {

/// @param number from 3 on, as proc(5) counts them
std::string field_of(long process, int number) {
    std::ifstream file{sentence("/proc/", process, "/stat")};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    // The second field is a name in brackets, which may contain anything.
    const std::size_t behind_name = text.rfind(')');
    if (behind_name == std::string::npos) {
        return {};
    }
    std::istringstream fields{text.substr(behind_name + 1)};
    std::string field;
    for (int at = 2; at != number && fields >> field; ++at) {
    }
    return field;
}

} // namespace

std::string begin_of_process(long process) {
    constexpr int start_time = 22;
    return field_of(process, start_time);
}

pid_t parent_of(pid_t process) {
    constexpr int parent = 4;
    return static_cast<pid_t>(std::strtol(field_of(process, parent).c_str(), nullptr, 10));
}

} // namespace lisle
