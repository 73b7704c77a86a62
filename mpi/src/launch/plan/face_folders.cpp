// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/face_folders.hpp"

#include <filesystem>

#include "base/text.hpp"
#include "launch/common/other_mpi.hpp"

namespace lisle::launch {

std::string installed_in() {
    std::error_code none;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", none);
    return none ? std::string{} : self.parent_path().parent_path().string();
}

std::string face_folders(std::string_view abi) {
    const auto prefix = installed_in();
    std::string folders;
    for (const auto face : faces) {
        const bool wanted = abi.empty() || abi == "auto" || abi == face;
        const auto folder = prefix + "/" + std::string{faces_folder} + std::string{face};
        std::error_code none;
        if (wanted && !prefix.empty() && std::filesystem::is_directory(folder, none)) {
            folders += (folders.empty() ? "" : ":") + folder;
        }
    }
    return folders;
}

bool has_face(std::string_view abi, const std::string &library) {
    const auto folders = face_folders(abi);
    for (const auto folder : words_of(folders, ":")) {
        std::error_code none;
        if (std::filesystem::exists(std::string{folder} + "/" + library, none)) {
            return true;
        }
    }
    return false;
}

} // namespace lisle::launch
