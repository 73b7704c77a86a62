// SPDX-License-Identifier: Apache-2.0
// Processors that the host does not support: no program runs, so no signal comes for one.
#include "launch/host/architecture/signal_frame.hpp"

namespace lisle::host::architecture {

std::uintptr_t interrupted_stack(const void *) noexcept {
    return 0;
}
std::uint64_t interrupted_mask(const void *) noexcept {
    return 0;
}
bool has_overflowed(const siginfo_t &, const void *) noexcept {
    return false;
}
void give_up_call(void *) noexcept {}
bool is_kernels(const siginfo_t &, const void *) noexcept {
    return false;
}
void call_next(const handler_call &, void *) noexcept {}

} // namespace lisle::host::architecture
