// SPDX-License-Identifier: Apache-2.0
// 64-bit ARM Linux. The kernel's frame for a handler lies on the stack like this, lowest address first, and
// sigreturn takes all of the processor's state from where the stack pointer is then
// [arch/arm64/kernel/signal.c]:
//     siginfo, context (with records of the vector registers), more records, where the interrupted code was
// So a handler can be called as the kernel calls one: a copy of the frame is put on its stack, and the
// original, to which the calling handler returns, is changed into the handler's first state.
#include "launch/host/architecture/signal_frame.hpp"
#include "launch/host/architecture/signal_stack.hpp"

#include <algorithm>
#include <asm/sigcontext.h>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ucontext.h>

// Where handlers return to. Unwinders and debuggers know these two instructions.
extern "C" [[gnu::visibility("hidden")]] void lisle_return_from_signal();
asm(".text\n"
    ".p2align 4\n"
    "    nop\n" // unwinders look up the address before the one that a function returns to
    ".globl lisle_return_from_signal\n"
    ".hidden lisle_return_from_signal\n"
    ".type lisle_return_from_signal, @function\n"
    "lisle_return_from_signal:\n"
    "    mov x8, #139\n" // rt_sigreturn
    "    svc #0\n"
    ".size lisle_return_from_signal, . - lisle_return_from_signal\n");

namespace lisle::host::architecture {

namespace {

constexpr std::size_t frame_size = sizeof(siginfo_t) + sizeof(ucontext_t);

/// Where a function was called from, as the one that it called notes it.
struct call_record {
    std::uintptr_t frame;
    std::uintptr_t address;
};

/// The record that says where records lie for which the context has no room; null: there are none.
extra_context *find_more_records(ucontext_t &context) noexcept {
    const std::size_t end = sizeof context.uc_mcontext.__reserved;
    for (std::size_t at = 0; at + sizeof(_aarch64_ctx) <= end;) {
        auto *const head = reinterpret_cast<_aarch64_ctx *>(context.uc_mcontext.__reserved + at);
        if (head->magic == EXTRA_MAGIC) {
            return reinterpret_cast<extra_context *>(head);
        }
        if (head->magic == 0 || head->size < sizeof *head) {
            break;
        }
        at += head->size;
    }
    return nullptr;
}

/// Copies the frame to the end of this stack. Returns where.
std::uintptr_t copy_frame(std::uintptr_t stack, ucontext_t &from) noexcept {
    const std::uintptr_t original = reinterpret_cast<std::uintptr_t>(&from) - sizeof(siginfo_t);
    std::size_t size = frame_size;
    if (const extra_context *const more = find_more_records(from)) { // they lie behind it
        size = std::max(size, static_cast<std::size_t>(more->datap + more->size - original));
    }
    constexpr std::uintptr_t alignment = 16;
    const std::uintptr_t copy = (stack - sizeof(call_record) - size) & ~(alignment - 1);
    std::memcpy(bytes_at(copy), bytes_at(original), size);
    auto &context = *reinterpret_cast<ucontext_t *>(bytes_at(copy) + sizeof(siginfo_t));
    if (extra_context *const more = find_more_records(context)) {
        more->datap += copy - original;
    }
    const call_record caller{from.uc_mcontext.regs[29], from.uc_mcontext.regs[30]};
    std::memcpy(bytes_at(copy) + size, &caller, sizeof caller);
    from.uc_mcontext.regs[29] = copy + size; // the way up the stack
    return copy;
}

} // namespace

std::uintptr_t interrupted_stack(const void *context) noexcept {
    return static_cast<const ucontext_t *>(context)->uc_mcontext.sp;
}

// The kernel restarts a call by going back to the instruction, with the call's number in x8. That state
// cannot be told from one in which the call has not begun, where EINTR is right as well.
void give_up_call(void *context) noexcept {
    constexpr std::uint32_t call = 0xd4000001; // svc #0
    auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext;
    std::uint32_t next = 0;
    std::memcpy(&next, bytes_at(registers.pc), sizeof next);
    if (next == call && is_restarted(static_cast<long>(registers.regs[8]))) {
        registers.regs[0] = static_cast<std::uint64_t>(-EINTR);
        registers.pc += sizeof next;
    }
}

bool is_kernels(const siginfo_t &information, const void *context) noexcept {
    return reinterpret_cast<const std::byte *>(&information) + sizeof information == context;
}

void call_next(const handler_call &call, void *context) noexcept {
    constexpr std::uintptr_t no_red_zone = 0;
    auto &here = *static_cast<ucontext_t *>(context);
    const std::uintptr_t frame = copy_frame(free_stack(call.stack, context, no_red_zone), here);
    auto &registers = here.uc_mcontext;
    constexpr std::uint64_t branches_and_steps = 0xc00 | 0x200000; // of the processor's state: BTYPE, SS
    registers.sp = frame;
    registers.pc = reinterpret_cast<std::uint64_t>(call.handler);
    registers.pstate &= ~branches_and_steps;
    registers.regs[0] = static_cast<std::uint64_t>(call.signal);
    registers.regs[1] = frame;
    registers.regs[2] = frame + sizeof(siginfo_t);
    registers.regs[30] = reinterpret_cast<std::uint64_t>(&lisle_return_from_signal);
    std::memcpy(&here.uc_sigmask, &call.masked, sizeof call.masked);
}

} // namespace lisle::host::architecture
