// SPDX-License-Identifier: Apache-2.0
#include "tile/network/extension.hpp"

#include <dlfcn.h>
#include <stdexcept>

namespace lisle::tile {

const extension &load_extension(const std::string &file) {
    if (file.empty()) {
        throw std::invalid_argument(
            "what is one's own comes from a shared object: the machine's file has no \"extension = FILE\"");
    }
    // A name without a slash would be sought among the system's libraries.
    const std::string path = file.find('/') == file.npos ? "./" + file : file;
    void *const object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (object == nullptr) {
        throw std::invalid_argument("the extension " + file + " cannot be loaded: " + dlerror());
    }
    const auto *const found = static_cast<const extension *>(dlsym(object, "lisle_tile_extension"));
    if (found == nullptr) {
        throw std::invalid_argument("the extension " + file + " does not define lisle_tile_extension");
    }
    if (found->build != extension_build{}) {
        throw std::invalid_argument(
            "the extension " + file +
            " was built with the headers of another version of Lisle: build it again");
    }
    return *found;
}

} // namespace lisle::tile
