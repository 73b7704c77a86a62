// SPDX-License-Identifier: Apache-2.0
// What is the same on every processor that the host supports.
#include "launch/host/architecture/signal_frame.hpp"

#include "launch/host/architecture/signal_stack.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <sys/syscall.h>
#include <ucontext.h>

namespace lisle::host::architecture {

namespace {

// Calls that a handler without SA_RESTART interrupts. [signal(7)]
constexpr long restarted[] = {
#ifdef SYS_open
    SYS_open,
#endif
    SYS_read,    SYS_readv,    SYS_write,     SYS_writev,          SYS_ioctl,       SYS_openat,
    SYS_wait4,   SYS_waitid,   SYS_accept,    SYS_accept4,         SYS_connect,     SYS_recvfrom,
    SYS_recvmsg, SYS_recvmmsg, SYS_sendto,    SYS_sendmsg,         SYS_sendmmsg,    SYS_flock,
    SYS_fcntl,   SYS_futex,    SYS_getrandom, SYS_mq_timedreceive, SYS_mq_timedsend};

} // namespace

bool is_restarted(long number) noexcept {
    return std::find(std::begin(restarted), std::end(restarted), number) != std::end(restarted);
}

std::uintptr_t free_stack(std::uintptr_t stack, const void *context, std::uintptr_t red_zone) noexcept {
    constexpr std::uintptr_t most = std::size_t{64} << 10, for_calls = 4096;
    const auto frame = reinterpret_cast<std::uintptr_t>(context);
    const auto now = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const bool is_below =
        stack == interrupted_stack(context) && now < frame && frame < stack && stack - now < most;
    return is_below ? now - for_calls : stack - red_zone;
}

std::uint64_t interrupted_mask(const void *context) noexcept {
    std::uint64_t mask = 0;
    std::memcpy(&mask, &static_cast<const ucontext_t *>(context)->uc_sigmask, sizeof mask);
    return mask;
}

// Guard pages allow no access, and an overflowing stack meets its own within a frame of where it has come
// to.
bool has_overflowed(const siginfo_t &information, const void *context) noexcept {
    constexpr std::uintptr_t frame = std::uintptr_t{1} << 20;
    const auto address = reinterpret_cast<std::uintptr_t>(information.si_addr);
    // A guard is a mapping that nothing may touch, or a page of one that is not there.
    return information.si_signo == SIGSEGV &&
           (information.si_code == SEGV_ACCERR || information.si_code == SEGV_MAPERR) &&
           address - (interrupted_stack(context) - frame) < 2 * frame;
}

} // namespace lisle::host::architecture
