// SPDX-License-Identifier: Apache-2.0
// How many bytes of unexpected messages a rank stores before it asks its senders to wait: a program whose
// senders rely on more being stored stands still then. So the limit grows, unless it has been set, while the
// machine has far more memory than that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/machine_limits.hpp"

namespace lisle::protocol {

class storage_limit {
  public:
    /// @param set in bytes; less than 0: it grows
    explicit storage_limit(std::int64_t set) noexcept
        : bytes_{set < 0 ? first : static_cast<std::size_t>(set)}, grows_{set < 0} {}

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    /// Makes room for so many bytes if it may. False: they are too many.
    [[nodiscard]] bool make_room_for(std::size_t stored) {
        while (grows_ && stored > bytes_ && bytes_ <= memory_left().value / parts) {
            bytes_ *= 2;
        }
        return stored <= bytes_;
    }

  private:
    static constexpr std::size_t first = std::size_t{64} << 20;
    /// What a rank stores is less than one of so many parts of what is left then; other ranks grow, too.
    static constexpr std::uint64_t parts = 8;

    std::size_t bytes_;
    bool grows_;
};

} // namespace lisle::protocol
