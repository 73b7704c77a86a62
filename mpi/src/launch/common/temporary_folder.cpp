// SPDX-License-Identifier: Apache-2.0
#include "launch/common/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "launch/common/launch_error.hpp"

namespace lisle::launch {

temporary_folder::temporary_folder(std::string_view purpose) {
    std::error_code none;
    name_ = (std::filesystem::temp_directory_path(none) / sentence(purpose, "-XXXXXX")).string();
    if (mkdtemp(name_.data()) == nullptr) {
        give_up(1, "cannot make a temporary folder (", name_, "): ", std::strerror(errno));
    }
}

temporary_folder::~temporary_folder() {
    std::error_code none;
    std::filesystem::remove_all(name_, none);
}

} // namespace lisle::launch
