// SPDX-License-Identifier: Apache-2.0
// x86-64. A position-independent executable reaches its thread-local variables at fixed distances below
// the thread pointer, in the belief that it is the process's first module. The host *is* that module: its
// only thread-local object is one block that ends at the thread pointer, so the program's variables fall
// into it. Invariant: no other object of the host's executable may be thread-local (checked at start).
#include "launch/host/architecture.hpp"

#include <cstring>

#if !defined(__x86_64__)
#error "this file is for x86-64"
#endif

namespace lisle::host::architecture {

namespace {

constexpr std::size_t block_size = std::size_t{64} << 10;
constexpr std::size_t block_alignment = 64;

struct alignas(block_alignment) reserved_block {
    thread_notes notes;
    std::byte room[block_size - sizeof(thread_notes)];
};
static_assert(sizeof(reserved_block) == block_size);

// Local-exec, whatever the compiler's flags: it must be reached without a call, also in signal handlers.
[[gnu::tls_model("local-exec")]] constinit thread_local reserved_block reserved{};

std::byte *thread_pointer() noexcept {
    return static_cast<std::byte *>(__builtin_thread_pointer());
}

} // namespace

const char *const name = "x86-64";
const std::uint16_t machine = EM_X86_64;
const std::size_t thread_local_room = sizeof(reserved_block::room);
const std::size_t thread_local_alignment = block_alignment;

relocation kind_of(std::uint64_t type) noexcept {
    switch (type) {
    case R_X86_64_COPY:
        return relocation::copy;
    case R_X86_64_GLOB_DAT:
    case R_X86_64_64:
        return relocation::address;
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
    case R_X86_64_TLSDESC:
        return relocation::thread_local_variable;
    case R_X86_64_IRELATIVE:
        return relocation::by_code;
    default:
        return relocation::other;
    }
}

thread_notes &notes() noexcept {
    return reserved.notes;
}

bool block_in_place() noexcept {
    return reinterpret_cast<std::byte *>(&reserved) + sizeof(reserved) == thread_pointer();
}

void place_thread_locals(const thread_local_image &image, const std::byte *base) noexcept {
    const std::size_t mask = image.alignment - 1;
    std::byte *const target = thread_pointer() - ((image.memory_size + mask) & ~mask);
    std::memcpy(target, base + image.address, image.file_size);
    std::memset(target + image.file_size, 0, image.memory_size - image.file_size);
}

void enter(const void *start, void *initial_stack) noexcept {
    // rdx: a function for the program to register with atexit (none); rbp 0 ends backtraces.
    asm volatile("movq %0, %%rsp\n\t"
                 "xorl %%edx, %%edx\n\t"
                 "xorl %%ebp, %%ebp\n\t"
                 "jmpq *%1"
                 :
                 : "D"(initial_stack), "a"(start)
                 : "memory", "rdx");
    __builtin_unreachable();
}

} // namespace lisle::host::architecture
