// SPDX-License-Identifier: Apache-2.0
// write, for calls of programs, of which a part goes to a rank's own output instead.
#pragma once

#include <cstddef>
#include <sys/types.h>

namespace lisle::host {

/// write(2), for a call that returns to `caller`: other fibers run while a pipe or socket is full.
ssize_t write_to(int descriptor, const void *data, std::size_t size, const void *caller);

} // namespace lisle::host
