// SPDX-License-Identifier: Apache-2.0
#include "library/fabric_module.hpp"

#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/loaded_library.hpp"
#include "mpi.h"

namespace lisle {

namespace {

/// The folder lisle/ beside the library, wherever that has been moved to; a relative path if the loader does
/// not say where the library lies.
std::filesystem::path folder_of_modules() {
    Dl_info about{};
    std::error_code failure;
    std::filesystem::path library;
    if (dladdr(reinterpret_cast<const void *>(&load_fabric_module), &about) != 0 &&
        about.dli_fname != nullptr) {
        library = std::filesystem::canonical(about.dli_fname, failure);
    }
    return library.parent_path() / "lisle";
}

} // namespace

std::string path_of_module(const char *file) {
    return folder_of_modules() / file;
}

const fabric_module &load_fabric_module(const char *file, const std::string &asked, const char *product) {
    const std::string path = path_of_module(file);
    const loaded_library object{path.c_str(), sentence(asked, " needs ", product, ", which are not here"),
                                sentence("install them beside the library, or build Lisle with them")};
    const fabric_module *module = nullptr;
    object.find(module, "lisle_fabric_module");
    if (std::strcmp(module->build, LISLE_MODULE_BUILD) != 0) {
        fail(MPI_ERR_OTHER, path,
             " is of another build of Lisle than the library beside it: install both of one");
    }
    return *module;
}

} // namespace lisle
