// SPDX-License-Identifier: Apache-2.0
#include "launch/outer/examples.hpp"

#include <cstdio>
#include <filesystem>

#include "launch/common/launch_error.hpp"
#include "launch/plan/face_folders.hpp"

namespace lisle::launch {

namespace files = std::filesystem;

void copy_examples(const std::string &folder) {
    const files::path source = files::path{installed_in()} / "share/doc/lisle/examples";
    std::error_code failure;
    if (!files::is_directory(source, failure)) {
        give_up(1, "--examples: there are none in ", source.string(),
                "; Debian's package lisle-doc has them");
    }
    for (const auto &each : files::recursive_directory_iterator{source}) {
        const files::path target = folder / each.path().lexically_relative(source);
        if (!each.is_directory() && files::exists(target, failure)) {
            give_up(1, "--examples ", folder, ": ", target.string(), " is there already");
        }
    }
    files::create_directories(folder, failure);
    files::copy(source, folder, files::copy_options::recursive, failure);
    if (failure) {
        give_up(1, "--examples ", folder, ": ", failure.message());
    }
    std::printf("The examples are in %s: make -C %s, then lislerun -n 4 %s/hello\n", folder.c_str(),
                folder.c_str(), folder.c_str());
}

} // namespace lisle::launch
