// SPDX-License-Identifier: Apache-2.0
// The file that a rank records to, mapped a window at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lisle::report {

/// Not thread-safe.
class trace_file {
  public:
    trace_file() = default;
    trace_file(const trace_file &) = delete;
    trace_file &operator=(const trace_file &) = delete;
    ~trace_file() { close(); }

    /// False, with errno: it cannot be made.
    [[nodiscard]] bool open(const std::string &path, std::string_view head = {}) noexcept;
    [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
    /// Room for so many bytes at next(). False: the file is closed, as there is no room for them.
    [[nodiscard]] bool has_room(std::size_t bytes) noexcept {
        return bytes <= static_cast<std::size_t>(window_end_ - at_) || move_window(bytes);
    }
    [[nodiscard]] std::byte *next() const noexcept { return at_; }
    void written_until(std::byte *end) noexcept { at_ = end; }
    /// Where next() is in the file.
    [[nodiscard]] std::size_t position() const noexcept {
        return offset_ + static_cast<std::size_t>(at_ - window_);
    }
    /// Replaces bytes that have been written.
    void replace(std::size_t position, std::string_view bytes) noexcept;
    /// Only what was written stays.
    void close() noexcept;

  private:
    [[nodiscard]] bool move_window(std::size_t bytes) noexcept;
    void unmap() noexcept;

    int descriptor_ = -1;
    std::size_t offset_ = 0;   ///< of the window in the file
    std::size_t bytes_ = 0;    ///< of the window
    std::size_t reserved_ = 0; ///< how long the file is
    std::byte *window_ = nullptr, *window_end_ = nullptr, *at_ = nullptr;
};

} // namespace lisle::report
