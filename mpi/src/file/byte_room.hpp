// SPDX-License-Identifier: Apache-2.0
// A reusable buffer for bytes that are all written before they are read, so it is not initialised.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace lisle::file {

class byte_room {
  public:
    /// Its contents are lost. Throws std::bad_alloc.
    void resize(std::size_t bytes) {
        if (bytes > capacity_) {
            memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
            capacity_ = bytes;
        }
        size_ = bytes;
    }
    void clear() noexcept { size_ = 0; }

    [[nodiscard]] std::byte *data() const noexcept { return memory_.get(); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::span<std::byte> all() const noexcept { return {data(), size_}; }

  private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t size_ = 0, capacity_ = 0;
};

} // namespace lisle::file
