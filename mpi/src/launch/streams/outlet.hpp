// SPDX-License-Identifier: Apache-2.0
// A descriptor for joined output. Other processes share it, so it stays in blocking mode; but a slow reader
// must not keep the launcher from watching the job. So it is written only when poll says that there is room,
// and then at most what a pipe takes in one piece.
#pragma once

#include <cerrno>
#include <string>

namespace lisle::launch {

class outlet {
  public:
    /// With this much waiting, no more input should be read.
    static constexpr std::size_t full = std::size_t{1} << 20;

    explicit outlet(int descriptor) noexcept : descriptor_{descriptor} {}

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// Text appended here waits to be written.
    [[nodiscard]] std::string &waiting() noexcept { return waiting_; }
    /// Bytes that wait to be written.
    [[nodiscard]] std::size_t unread() const noexcept { return waiting_.size() - written_; }
    [[nodiscard]] bool has_work() const noexcept { return written_ < waiting_.size(); }
    [[nodiscard]] bool is_full() const noexcept { return waiting_.size() - written_ >= full; }
    /// The reader is gone: nothing will ever be written again.
    [[nodiscard]] bool broken() const noexcept { return error_ == EPIPE; }
    /// What else keeps it from writing, such as a full disk, as a sentence; empty: nothing. What comes is
    /// dropped then.
    [[nodiscard]] std::string failure() const;
    /// Writes some of what is waiting. To be called when poll says that there is room.
    void write_some();

  private:
    int descriptor_;
    std::string waiting_;
    std::size_t written_ = 0;
    int error_ = 0; ///< errno of the write that failed for good
};

} // namespace lisle::launch
