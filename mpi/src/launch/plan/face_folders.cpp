// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/face_folders.hpp"

#include <filesystem>

#include "launch/common/other_mpi.hpp"

namespace lisle::launch {

std::string installed_in() {
    std::error_code none;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", none);
    return none ? std::string{} : self.parent_path().parent_path().string();
}

namespace {

/// The folder of a face; empty if it is not installed, or not one that --abi wants.
std::string folder_of(std::string_view face, std::string_view abi) {
    const auto prefix = installed_in();
    const bool wanted = abi.empty() || abi == "auto" || abi == face;
    const auto folder = prefix + "/" + std::string{faces_folder} + std::string{face};
    std::error_code none;
    return wanted && !prefix.empty() && std::filesystem::is_directory(folder, none) ? folder : std::string{};
}

} // namespace

std::string face_folders(std::string_view abi) {
    std::string folders;
    for (const auto face : faces) {
        const auto folder = folder_of(face, abi);
        folders += (folders.empty() || folder.empty() ? "" : ":") + folder;
    }
    return folders;
}

std::string_view face_with(std::string_view abi, const std::string &library) {
    for (const auto face : faces) {
        const auto folder = folder_of(face, abi);
        std::error_code none;
        if (!folder.empty() && std::filesystem::exists(folder + "/" + library, none)) {
            return face;
        }
    }
    return {};
}

} // namespace lisle::launch
