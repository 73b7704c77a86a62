// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/preloaded.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <filesystem>
#include <fnmatch.h>
#include <fstream>
#include <iterator>
#include <vector>

namespace lisle::launch {

namespace {

constexpr std::string_view separators = ":, ";

bool matches(std::string_view patterns, const std::string &path) {
    const std::string name{base_name(path)};
    return std::ranges::any_of(words_of(patterns, separators), [&](std::string_view each) {
        const std::string pattern{each};
        return fnmatch(pattern.c_str(), name.c_str(), 0) == 0 ||
               fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
    });
}

/// The file that the loader would find by this name; empty: one of the system's folders, or none.
std::string find(std::string_view name, std::string_view folders) {
    if (name.find('/') != std::string_view::npos) {
        return std::string{name};
    }
    for (const std::string_view folder : words_of(folders, ":;")) {
        std::string path = std::string{folder} + "/" + std::string{name};
        if (std::filesystem::exists(path)) {
            return path;
        }
    }
    return {};
}

/// Whether the names of functions in a library's tables are some of MPI's, in C or in Fortran.
bool uses_mpi(const std::string &path) {
    std::ifstream file{path, std::ios::binary};
    const std::string content{std::istreambuf_iterator<char>{file}, {}};
    using namespace std::string_view_literals;
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"\0MPI_"sv, "\0PMPI_"sv, "\0mpi_init_"sv, "\0pmpi_"sv},
        [&](std::string_view each) { return content.find(each) != std::string::npos; });
}

void add(std::string &list, std::string_view library) {
    list.append(list.empty() ? "" : ":").append(library);
}

} // namespace

preloaded_libraries divide_preloaded(std::string_view preloaded, std::string_view private_patterns,
                                     std::string_view shared_patterns, std::string_view folders) {
    preloaded_libraries result;
    for (const std::string_view each : words_of(preloaded, ": ")) {
        const std::string path = find(each, folders);
        const bool is_own =
            !path.empty() && !base_name(path).starts_with("libmpi_abi.so") &&
            (matches(private_patterns, path) || (!matches(shared_patterns, path) && uses_mpi(path)));
        is_own ? add(result.of_ranks, path) : add(result.of_process, each);
    }
    return result;
}

} // namespace lisle::launch
