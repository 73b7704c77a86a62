// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <filesystem>
#include <gnu/libc-version.h>

#include "api/misc.hpp"
#include "base/error.hpp"
#include "library/description/description.h"
#include "library/description/facts.hpp"
#include "mpi.h"

#ifndef LISLE_BUILT_AS
#error "the build must define LISLE_BUILT_AS"
#endif

namespace lisle::description {

namespace {

namespace files = std::filesystem;

std::string library_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    api::get_library_version(text, &length);
    return {text, static_cast<std::size_t>(length)};
}

/// Where the library lies, links followed; empty if the loader does not say.
files::path library_file() {
    Dl_info about{};
    std::error_code failure;
    if (dladdr(reinterpret_cast<const void *>(&lisle_describe), &about) == 0 || about.dli_fname == nullptr) {
        return {};
    }
    return files::canonical(about.dli_fname, failure);
}

constexpr const char *compiler =
#ifdef __clang__
    "Clang " __clang_version__;
#else
    "GCC " __VERSION__;
#endif

constexpr const char *with_libfabric =
#ifdef LISLE_WITH_LIBFABRIC
    "yes";
#else
    "no";
#endif
constexpr const char *with_ucx =
#ifdef LISLE_WITH_UCX
    "yes";
#else
    "no";
#endif
constexpr const char *with_pmix =
#ifdef LISLE_WITH_PMIX
    "yes";
#else
    "no";
#endif

struct part {
    const char *name, *place; ///< relative to the prefix
};
constexpr part parts[] = {
    {"launcher", "bin/lislerun"},
    {"host of thread and fiber ranks", "libexec/lisle/lisle-host"},
    {"compiler wrappers", "bin/mpicc"},
    {"Fortran module mpi_f08", "include/mpi_f08.mod"},
    {"C++ interface", "include/lisle/lisle.hpp"},
    {"names of Open MPI", "lib/lisle/openmpi"},
    {"task machine", "bin/lisle-task"},
    {"tile machine", "lib/lisle/liblisle_tiles.so"},
};

} // namespace

void add_build(facts &all) {
    const std::string section = "build";
    all.push_back({section, "library", library_version()});
    all.push_back({section, "standard", sentence(MPI_VERSION, ".", MPI_SUBVERSION)});
    all.push_back({section, "binary interface", sentence(MPI_ABI_VERSION, ".", MPI_ABI_SUBVERSION)});
    all.push_back({section, "compiler", compiler});
    all.push_back({section, "built as", LISLE_BUILT_AS});
    all.push_back(
        {section, "libfabric", with_libfabric, "whether its header was there when Lisle was built"});
    all.push_back({section, "UCX", with_ucx, "whether its header was there when Lisle was built"});
    all.push_back({section, "PMIx", with_pmix, "whether its header was there when Lisle was built"});
    all.push_back({section, "C library", gnu_get_libc_version()});
    const files::path library = library_file();
    const files::path prefix = library.parent_path().parent_path();
    all.push_back({section, "library file", library.string()});
    for (const part &each : parts) {
        std::error_code failure;
        const bool there = files::exists(prefix / each.place, failure);
        all.push_back({section, each.name, there ? "installed" : "not installed", prefix / each.place});
    }
}

} // namespace lisle::description
