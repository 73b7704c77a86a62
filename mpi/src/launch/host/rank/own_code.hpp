// SPDX-License-Identifier: Apache-2.0
// Which calls of the C library are Lisle's own: those that the host and the library make on a rank's thread
// concern the process, those of programs and other libraries the rank.
#pragma once

namespace lisle::host {

/// Finds the host and the library among what is loaded. Called once, before any rank runs.
void note_own_code();

/// Whether this address lies in the code of the host or of the library. Async-signal-safe.
[[nodiscard]] bool is_own_code(const void *address) noexcept;

} // namespace lisle::host
