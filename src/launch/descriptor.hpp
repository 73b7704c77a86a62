// SPDX-License-Identifier: Apache-2.0
// A file descriptor with one owner, and the pipes and null device that the launcher hands around.
#pragma once

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "launch/launch_error.hpp"

namespace lisle::launch {

/// Closes its descriptor when it ends. -1 means none.
class descriptor {
  public:
    descriptor() = default;
    explicit descriptor(int number) noexcept : number_{number} {}
    descriptor(descriptor &&other) noexcept : number_{std::exchange(other.number_, -1)} {}
    descriptor &operator=(descriptor &&other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() { reset(); }
    [[nodiscard]] int get() const noexcept { return number_; }
    explicit operator bool() const noexcept { return number_ >= 0; }
    void reset() noexcept {
        if (number_ >= 0) {
            close(std::exchange(number_, -1));
        }
    }

  private:
    int number_ = -1;
};

struct pipe_ends {
    descriptor read;
    descriptor write;
};

/// A pipe, close-on-exec at both ends. Throws launch_error.
inline pipe_ends make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        give_up(1, "cannot make a pipe: ", std::strerror(errno));
    }
    return {descriptor{ends[0]}, descriptor{ends[1]}};
}

/// Replaces a standard descriptor by /dev/null, so that this process keeps no pipe of others alive.
inline void let_go(int standard) {
    const descriptor null{open("/dev/null", O_RDWR | O_CLOEXEC)};
    if (null && null.get() != standard) {
        dup2(null.get(), standard);
    }
}

} // namespace lisle::launch
