// SPDX-License-Identifier: Apache-2.0
// Memory for the intermediate results of schedules. Long pieces are kept by the rank for the next schedule:
// the system would take them back and hand out zeroed pages each time, which costs more than many a
// collective. What is kept is bounded, in pieces and in bytes.
#pragma once

#include <cstddef>
#include <utility>

namespace lisle {
class rank;
}

namespace lisle::collective {

/// One piece; freed, or kept for its rank, at the end.
class scratch {
  public:
    /// Throws no_room. The contents are undefined.
    explicit scratch(std::size_t bytes);
    scratch(scratch &&other) noexcept
        : owner_{other.owner_}, memory_{std::exchange(other.memory_, nullptr)}, bytes_{other.bytes_} {}
    scratch &operator=(scratch &&) = delete;
    ~scratch();
    [[nodiscard]] std::byte *get() const noexcept { return memory_; }

  private:
    rank *owner_ = nullptr; ///< of long pieces
    std::byte *memory_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace lisle::collective
