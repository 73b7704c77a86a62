// SPDX-License-Identifier: Apache-2.0
// x86-64 Linux. The kernel's frame for a handler lies on the stack like this, lowest address first, and
// sigreturn takes all of the processor's state from it, wherever it lies [arch/x86/include/asm/sigframe.h]:
//     return address (code that calls sigreturn), context, siginfo, ..., state of the vector registers
// So a handler can be called as the kernel calls one: a copy of the frame is put on its stack, and the
// original, to which the calling handler returns, is changed into the handler's first state.
#include "launch/host/architecture/signal_frame.hpp"
#include "launch/host/architecture/signal_stack.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ucontext.h>

namespace lisle::host::architecture {

namespace {

// The C library's ucontext_t has members behind those that the kernel knows, where siginfo lies in fact.
constexpr std::size_t kernel_context = offsetof(ucontext_t, uc_sigmask) + sizeof(std::uint64_t);
constexpr std::size_t frame_size = sizeof(void *) + kernel_context + sizeof(siginfo_t);
constexpr std::uintptr_t red_zone = 128;

/// Bytes of the saved vector registers. [struct _fpx_sw_bytes of the kernel's asm/sigcontext.h]
std::size_t size_of_vectors(const std::byte *saved) noexcept {
    constexpr std::size_t old_state = 512;
    constexpr std::size_t place = 464;
    constexpr std::uint32_t extended = 0x46505853;
    std::uint32_t words[2];
    std::memcpy(words, saved + place, sizeof words);
    return words[0] == extended ? words[1] : old_state;
}

/// Copies the frame to the end of this stack. Returns where.
std::uintptr_t copy_frame(std::uintptr_t stack, const ucontext_t &from) noexcept {
    const auto *const vectors = reinterpret_cast<const std::byte *>(from.uc_mcontext.fpregs);
    std::uintptr_t place = stack;
    if (vectors != nullptr) {
        constexpr std::uintptr_t alignment = 64; // of the instruction that restores them
        const std::size_t size = size_of_vectors(vectors);
        place = (place - size) & ~(alignment - 1);
        std::memcpy(bytes_at(place), vectors, size);
    }
    const std::uintptr_t frame = ((place - frame_size) & ~std::uintptr_t{15}) - sizeof(void *);
    std::memcpy(bytes_at(frame), reinterpret_cast<const std::byte *>(&from) - sizeof(void *), frame_size);
    if (vectors != nullptr) {
        std::memcpy(bytes_at(frame) + sizeof(void *) + offsetof(ucontext_t, uc_mcontext.fpregs), &place,
                    sizeof place);
    }
    return frame;
}

} // namespace

std::uintptr_t interrupted_stack(const void *context) noexcept {
    return static_cast<std::uintptr_t>(static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RSP]);
}

// The kernel restarts a call by going back to the instruction, with the call's number in rax. That state
// cannot be told from one in which the call has not begun, where EINTR is right as well.
void give_up_call(void *context) noexcept {
    constexpr greg_t length = 2;
    auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
    const auto *const next = // the second byte is read only if there is one
        reinterpret_cast<const unsigned char *>(registers[REG_RIP]); // NOLINT(performance-no-int-to-ptr)
    if (next[0] == 0x0f && next[1] == 0x05 && is_restarted(registers[REG_RAX])) {
        registers[REG_RAX] = -EINTR;
        registers[REG_RIP] += length;
    }
}

bool is_kernels(const siginfo_t &information, const void *context) noexcept {
    return static_cast<const std::byte *>(context) + kernel_context ==
           reinterpret_cast<const std::byte *>(&information);
}

void call_next(const handler_call &call, void *context) noexcept {
    auto &here = *static_cast<ucontext_t *>(context);
    const std::uintptr_t frame = copy_frame(free_stack(call.stack, context, red_zone), here);
    auto &registers = here.uc_mcontext.gregs;
    constexpr greg_t direction_and_steps = 0x400 | 0x100 | 0x10000; // flags DF, TF, RF
    registers[REG_RSP] = static_cast<greg_t>(frame);
    registers[REG_RIP] = reinterpret_cast<greg_t>(call.handler);
    registers[REG_RDI] = call.signal;
    const std::uintptr_t its_context = frame + sizeof(void *);
    const std::uintptr_t its_information = its_context + kernel_context;
    registers[REG_RSI] = static_cast<greg_t>(its_information);
    registers[REG_RDX] = static_cast<greg_t>(its_context);
    registers[REG_RAX] = 0;
    registers[REG_EFL] &= ~direction_and_steps;
    here.uc_mcontext.fpregs = nullptr; // handlers begin with the vector registers' first state
    std::memcpy(&here.uc_sigmask, &call.masked, sizeof call.masked);
}

} // namespace lisle::host::architecture
