// SPDX-License-Identifier: Apache-2.0
// The windows of this process, by the engine of their rank and their context: how a packet finds its window.
#pragma once

#include <cstdint>
#include <vector>

namespace lisle::protocol {
class engine;
}

namespace lisle::rma {

class window;

/// Thread-safe. A window is here from its construction to its end.
class registry {
  public:
    static void add(window &made);
    static void remove(window &ended) noexcept;
    /// Null: there is none.
    [[nodiscard]] static window *find(const protocol::engine &home, std::uint64_t context) noexcept;
    [[nodiscard]] static std::vector<window *> of(const protocol::engine &home);
};

} // namespace lisle::rma
