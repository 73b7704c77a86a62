// SPDX-License-Identifier: Apache-2.0
// A file descriptor with one owner.
#pragma once

#include <cstdio>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>
#include <utility>

namespace lisle {

/// Closes its descriptor when it ends. -1 means none.
class owned_descriptor {
  public:
    owned_descriptor() = default;
    explicit owned_descriptor(int number) noexcept : number_{number} {}
    owned_descriptor(owned_descriptor &&other) noexcept : number_{std::exchange(other.number_, -1)} {}
    owned_descriptor &operator=(owned_descriptor &&other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~owned_descriptor() { reset(); }
    [[nodiscard]] int get() const noexcept { return number_; }
    explicit operator bool() const noexcept { return number_ >= 0; }
    /// Passes it to the caller, which has to close it.
    [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }
    void reset() noexcept {
        if (number_ >= 0) {
            close(std::exchange(number_, -1));
        }
    }

  private:
    int number_ = -1;
};

/// Opens a file once more that a process of this machine has open, through /proc. None: it has not, or the
/// system forbids it. @param flags of open(2)
[[nodiscard]] inline owned_descriptor open_of_process(pid_t process, int descriptor, int flags) noexcept {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", process, descriptor);
    return owned_descriptor{open(path, flags | O_CLOEXEC)};
}

} // namespace lisle
