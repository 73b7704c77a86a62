// SPDX-License-Identifier: Apache-2.0
// The cache of a core: sets of lines, of which the one used longest ago gives way to a new one, and is
// written back if it has been changed.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/network/parameters.hpp"

namespace lisle::tile {

/// Not thread-safe.
class cache {
  public:
    /// @pre check_memory() accepts the machine
    explicit cache(const parameters &built);

    /// What an access has the memory do.
    struct effect {
        bool fetches = false;     ///< the line was not there
        bool writes_back = false; ///< another one gave way that had been changed
    };
    /// The core reads a line, or writes to it. Without a cache each line is fetched, or written back at once.
    effect access(std::uint64_t line, bool writes);

  private:
    struct entry {
        std::uint64_t line = none;
        bool changed = false;
    };
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    std::uint64_t ways_, sets_;
    std::vector<entry> entries_; ///< of one set after the other, within it the latest used first
};

} // namespace lisle::tile
