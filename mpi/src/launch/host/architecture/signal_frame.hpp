// SPDX-License-Identifier: Apache-2.0
// What the kernel has put on the stack for a signal handler: where the thread was, and how the handler that
// interrupted it lets another one run there.
#pragma once

#include <csignal>
#include <cstdint>

namespace lisle::host::architecture {

/// The stack pointer of the code that the signal has interrupted. @param context what the handler got
[[nodiscard]] std::uintptr_t interrupted_stack(const void *context) noexcept;

/// The signals that were blocked there.
[[nodiscard]] std::uint64_t interrupted_mask(const void *context) noexcept;

/// Whether the stack pointer of the code that the signal has interrupted lies beneath a page that nobody may
/// touch, at which the fault happened: the stack has overflowed.
[[nodiscard]] bool has_overflowed(const siginfo_t &information, const void *context) noexcept;

/// If the signal has interrupted a system call that is to begin again, lets the call fail with EINTR
/// instead.
void give_up_call(void *context) noexcept;

/// What is to run where a signal has interrupted its thread.
struct handler_call {
    int signal;
    void *handler;        ///< of either form: it gets three arguments
    std::uintptr_t stack; ///< the end of the stack on which it runs
    std::uint64_t masked; ///< signals that are blocked meanwhile
};

/// Whether the kernel itself has called the handler that got these: a sanitizer may call it later, with
/// copies.
[[nodiscard]] bool is_kernels(const siginfo_t &information, const void *context) noexcept;

/// When the calling handler has returned, `call` runs as if the kernel had called it: on its own stack, with
/// a frame of its own and what the calling handler's siginfo says then, from which it returns to the
/// interrupted code or jumps. Async-signal-safe. @pre is_kernels of what the calling handler got
void call_next(const handler_call &call, void *context) noexcept;

} // namespace lisle::host::architecture
