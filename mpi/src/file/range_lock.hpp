// SPDX-License-Identifier: Apache-2.0
// A lock on a range of a file, for as long as the object lives. Its holder never waits for another rank, so a
// rank that wants it polls, and lets the holder run in between if they share a thread.
#pragma once

#include "file/descriptor.hpp"

namespace lisle::protocol {
class engine;
}

namespace lisle::file {

class [[nodiscard]] range_lock {
  public:
    /// @param home of the calling rank; null: the caller is a helper (helper.hpp)
    range_lock(const descriptor &of, const file_run &range, lock_kind kind, protocol::engine *home);
    range_lock(const range_lock &) = delete;
    range_lock &operator=(const range_lock &) = delete;
    ~range_lock();

    /// False: the file system has no locks.
    [[nodiscard]] bool taken() const noexcept { return taken_; }

  private:
    const descriptor &of_;
    const file_run range_;
    bool taken_ = false;
};

} // namespace lisle::file
