// SPDX-License-Identifier: Apache-2.0
// Whose code a signal has interrupted.
#pragma once

namespace lisle {

/// For the handler of a signal that `code` itself has caused: true if that is the program's own doing, false
/// if it serves others (the C library, malloc) or a call of this library has led to it.
[[nodiscard]] bool is_of_program(const void *code) noexcept;

} // namespace lisle
