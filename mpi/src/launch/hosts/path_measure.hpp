// SPDX-License-Identifier: Apache-2.0
// Measures one path between two hosts: whether a connection comes about, how long a byte takes, and how many
// bytes pass. Both ends wait, each in a process of its own.
#pragma once

#include <cstdint>

#include "tcp/paths.hpp"

namespace lisle::launch {

/// Serves callers that say the token, each in a process of its own, until it is killed.
[[noreturn]] void serve_measurements(int listener, std::uint64_t token);

struct measured_path {
    int problem = 0;         ///< as of errno; 0: it is open
    double microseconds = 0; ///< one way
    double megabytes = 0;    ///< each second
};
[[nodiscard]] measured_path measure(const tcp::path &by, std::uint64_t token);

} // namespace lisle::launch
