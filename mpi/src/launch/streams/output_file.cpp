// SPDX-License-Identifier: Apache-2.0
#include "launch/streams/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "launch/common/launch_error.hpp"

namespace lisle::launch {

output_file::output_file(std::string path) : path_{std::move(path)} {
    std::error_code failed;
    if (const auto folder = std::filesystem::path{path_}.parent_path(); !folder.empty()) {
        std::filesystem::create_directories(folder, failed);
    }
    if (failed) {
        give_up(1, "cannot make the directory of ", path_, " for the output of ranks: ", failed.message());
    }
    // Appending, since several processes may write to one file.
    file_ =
        launch::descriptor{open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666)};
    if (!file_) {
        give_up(1, "cannot open ", path_, " for the output of ranks: ", std::strerror(errno));
    }
}

void output_file::write(std::string_view text) {
    while (!text.empty() && failure_.empty()) {
        const auto done = ::write(file_.get(), text.data(), text.size());
        if (done >= 0) {
            text.remove_prefix(static_cast<std::size_t>(done));
        } else if (errno != EINTR) {
            failure_ = sentence("cannot write the output of ranks to ", path_, ": ", std::strerror(errno));
        }
    }
}

} // namespace lisle::launch
