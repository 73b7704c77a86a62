// SPDX-License-Identifier: Apache-2.0
// Of which libraries each rank gets a copy: of all that may have variables, but for those that must be one
// for a process. Two lists of patterns (LISLE_PRIVATE_LIBRARIES, LISLE_SHARED_LIBRARIES) overrule that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lisle::host {

enum class ownership {
    ordinary,  ///< the program's own: private, unless a shared library needs it
    of_system, ///< the same if it has variables, or needs a private library; else shared
    asked_for, ///< private because LISLE_PRIVATE_LIBRARIES says so
    shared     ///< one copy for all ranks
};

/// Whether a library of this name must be one for a process, wherever it lies.
[[nodiscard]] bool is_one_for_all(std::string_view name);

class library_rules {
  public:
    /// Takes the lists from the environment.
    library_rules();
    library_rules(std::string_view private_patterns, std::string_view shared_patterns);

    /// `name`: as the program names it; `path`: its file.
    [[nodiscard]] ownership of(const std::string &name, const std::string &path) const;

  private:
    std::vector<std::string> private_;
    std::vector<std::string> shared_;
};

} // namespace lisle::host
