// SPDX-License-Identifier: Apache-2.0
// The computing of a program on this machine, in cycles of a modelled one.
#pragma once

#include <cstdint>

#include "tile/network/parameters.hpp"

namespace lisle::fabric {

/// Of the calling thread, which is always the same one.
class host_meter {
  public:
    enum class unit : unsigned char {
        none,         ///< computing is declared, not metered
        time,         ///< of this machine's processor
        instructions, ///< one is a cycle
    };
    struct kind {
        unit of = unit::none;
        std::int64_t percent = 100; ///< of what was metered
    };

    host_meter(kind metered, std::int64_t clock_mhz) noexcept : metered_{metered}, clock_mhz_{clock_mhz} {}
    ~host_meter();
    host_meter(const host_meter &) = delete;
    host_meter &operator=(const host_meter &) = delete;

    /// True if the machine has a counter of instructions that the process may use.
    [[nodiscard]] static bool counts_instructions() noexcept;

    /// The program computes from here on.
    void begin() noexcept;
    /// The program does not compute until the next begin.
    void stop() noexcept { begun_ = -1; }
    /// Takes the cycles that have been metered since; 0 if they are too few for a program's computing.
    [[nodiscard]] tile::cycle take() noexcept;

  private:
    [[nodiscard]] std::int64_t read() noexcept;

    kind metered_;
    std::int64_t clock_mhz_;
    int counter_ = -1;        ///< descriptor of the thread's instructions
    std::int64_t begun_ = -1; ///< -1: no program computes
};

} // namespace lisle::fabric
