// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/record_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "launch/common/launch_error.hpp"

namespace lisle::launch {

record_folder::record_folder(const char *option) {
    std::error_code none;
    path_ = (std::filesystem::temp_directory_path(none) / "lisle-record-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) {
        give_up(1, option, ": cannot make a folder for the record (", path_, "): ", std::strerror(errno));
    }
}

record_folder::~record_folder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
}

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
