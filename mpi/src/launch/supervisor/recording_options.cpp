// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/recording_options.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "launch/common/launch_error.hpp"

namespace lisle::launch {

void check_file(const char *option, const std::string &file) {
    if (!file.empty() && !std::ofstream{file, std::ios::app}) {
        give_up(exit_usage, option, " ", file, ": the file cannot be written: ", std::strerror(errno));
    }
}

void record_standard_calls(const char *option, job_request &request) {
    if (!request.abi.empty() && request.abi != "auto" && request.abi != "standard") {
        give_up(exit_usage, option, " records programs that are linked with Lisle; with --abi ", request.abi,
                " their calls go another way");
    }
    request.abi = "standard";
}

} // namespace lisle::launch
