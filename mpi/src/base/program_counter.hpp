// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

namespace lisle {

/// The instruction that a signal has interrupted. @param context what its handler got. Null on a processor
/// whose registers are not known here. Async-signal-safe.
[[nodiscard]] inline const void *program_counter(const void *context) noexcept {
    const auto &registers = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
    return reinterpret_cast<const void *>(registers.gregs[REG_RIP]); // NOLINT(performance-no-int-to-ptr)
#elif defined(__aarch64__)
    return reinterpret_cast<const void *>(registers.pc); // NOLINT(performance-no-int-to-ptr)
#else
    static_cast<void>(registers);
    return nullptr;
#endif
}

} // namespace lisle
