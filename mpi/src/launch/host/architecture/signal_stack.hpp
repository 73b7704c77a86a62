// SPDX-License-Identifier: Apache-2.0
// For the files of one processor each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lisle::host::architecture {

/// Whether a system call of this number is one that a handler without SA_RESTART interrupts.
[[nodiscard]] bool is_restarted(long number) noexcept;

/// The end of what is free of a stack on which a handler is to run. A thread that has given up its alternate
/// stack handles signals on the one that they interrupt: then the frame, and the functions that run now, lie
/// below. @param red_zone bytes below the stack pointer that code may use without saying so
[[nodiscard]] std::uintptr_t free_stack(std::uintptr_t stack, const void *context,
                                        std::uintptr_t red_zone) noexcept;

[[nodiscard]] inline std::byte *bytes_at(std::uintptr_t address) noexcept {
    return reinterpret_cast<std::byte *>(address); // NOLINT(performance-no-int-to-ptr)
}

} // namespace lisle::host::architecture
