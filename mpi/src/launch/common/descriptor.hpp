// SPDX-License-Identifier: Apache-2.0
// Pipes and the null device.
#pragma once

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/owned_descriptor.hpp"
#include "launch/common/launch_error.hpp"

namespace lisle::launch {

using descriptor = owned_descriptor;

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
