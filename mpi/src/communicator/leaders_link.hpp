// SPDX-License-Identifier: Apache-2.0
// By which the leaders of two groups tell each other something.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/shared_secret.hpp"

namespace lisle {

class leaders_link {
  public:
    virtual ~leaders_link() = default;
    /// Sends bytes, and receives as many. Needs no memory. Throws mpi_error if the other leader is gone.
    virtual void swap(std::span<const std::byte> mine, std::span<std::byte> theirs) = 0;
    /// Sends bytes, and returns what the other leader sends. Throws mpi_error if it is gone. Without memory
    /// for what comes it throws std::bad_alloc, and the link can be used again.
    /// @param most a length that its bytes cannot exceed
    [[nodiscard]] virtual std::vector<std::byte> exchange(std::span<const std::byte> mine,
                                                          std::size_t most) = 0;
    /// What only the two leaders know, so that no secret of theirs need be said; nothing: there is none.
    [[nodiscard]] virtual std::optional<shared_secret> secret() const { return std::nullopt; }
};

} // namespace lisle
