// SPDX-License-Identifier: Apache-2.0
// One of the processor's registers for watchpoints, which the system lends as a performance event of the
// calling thread: each access to some bytes ends in a SIGTRAP behind the instruction.
#pragma once

#include <cstdint>

#include "base/access_filter.hpp"
#include "base/owned_descriptor.hpp"

namespace lisle {

class watchpoint {
  public:
    using range = access_filter::range;

    /// Watches these bytes from now on instead of others. @param bytes 1, 2, 4 or 8, aligned to their number
    /// @return false: the system has no register left
    [[nodiscard]] bool begin(range bytes, bool loads_too) noexcept;
    void end() noexcept;
    /// Since the last question. Several may have at one instruction, for which there is one signal.
    [[nodiscard]] bool has_trapped() noexcept;
    [[nodiscard]] range bytes() const noexcept { return bytes_; }

  private:
    owned_descriptor event_; ///< stays for the next bytes
    range bytes_{};
    std::uint64_t traps_ = 0;
};

} // namespace lisle
