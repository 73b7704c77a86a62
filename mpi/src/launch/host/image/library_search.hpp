// SPDX-License-Identifier: Apache-2.0
// Where the loader would find a library: needed to tell the program's own libraries from the system's before
// anything is loaded. What is not found here is left to the loader itself.
#pragma once

#include "launch/host/image/program_file.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace lisle::host {

class library_search {
  public:
    /// Follows LD_LIBRARY_PATH and the system's cache of libraries.
    library_search();
    /// The same with a given path and cache file; for tests.
    library_search(std::string_view path, std::string cache_file);

    /// The library's file, or empty. `chain` leads from the file that needs it to the program.
    [[nodiscard]] std::string find(const std::string &name, std::span<const program_file *const> chain);

  private:
    void read_cache();
    std::vector<std::string> path_;
    std::string cache_file_;
    bool cache_read_ = false;
    std::multimap<std::string, std::string> cache_; ///< paths by name
};

/// Whether the file lies in one of the loader's standard directories.
[[nodiscard]] bool is_system_library(const std::string &path);

} // namespace lisle::host
