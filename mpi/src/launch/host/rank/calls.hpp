// SPDX-License-Identifier: Apache-2.0
// Which calls of the C library the host answers for a rank, and how it refuses one.
#pragma once

namespace lisle::host {

/// Whether the call that returns to `caller` is a rank's: not the host's, the library's or a child's.
[[nodiscard]] bool is_call_of_rank(const void *caller) noexcept;

/// Says why what the calling rank asks for cannot be kept: the ranks of a process "have" this together.
/// Returns -1 with ENOTSUP.
int refuse_call(const char *call, const char *have) noexcept;

} // namespace lisle::host
