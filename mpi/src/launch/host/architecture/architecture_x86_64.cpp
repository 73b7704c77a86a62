// SPDX-License-Identifier: Apache-2.0
// x86-64. A position-independent executable reaches its thread-local variables at fixed distances below
// the thread pointer, in the belief that it is the process's first module. The host *is* that module: its
// only thread-local object is one block that ends at the thread pointer, so the program's variables fall
// into it. Invariant: no other object of the host's executable may be thread-local (checked at start).
#include "launch/host/architecture/architecture.hpp"
#include "launch/host/architecture/thread_locals.hpp"

#if !defined(__x86_64__)
#error "this file is for x86-64"
#endif

// What a thread-local descriptor calls: rax points to the descriptor and receives its second word; no other
// register may change, so this is not to be compiled.
asm(".text\n"
    ".p2align 4\n"
    ".globl lisle_return_position\n"
    ".hidden lisle_return_position\n"
    ".type lisle_return_position, @function\n"
    "lisle_return_position:\n"
    "    movq 8(%rax), %rax\n"
    "    ret\n"
    ".size lisle_return_position, . - lisle_return_position\n");

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

/// All from the thread pointer down to this distance is taken.
block_place below(std::size_t distance) noexcept {
    return {-static_cast<std::ptrdiff_t>(distance), distance};
}

} // namespace

const char *const name = "x86-64";
const std::uint16_t machine = EM_X86_64;
const char *const library_folder = "lib/x86_64-linux-gnu";
const std::ptrdiff_t block_position = -std::ptrdiff_t{block_size};
const std::size_t thread_local_room = sizeof(reserved_block::room);
const std::size_t thread_local_alignment = block_alignment;

const std::uint64_t no_relocation = R_X86_64_NONE;

relocation kind_of(std::uint64_t type) noexcept {
    switch (type) {
    case R_X86_64_COPY:
        return relocation::copy;
    case R_X86_64_GLOB_DAT:
    case R_X86_64_64:
        return relocation::address;
    case R_X86_64_JUMP_SLOT:
        return relocation::function;
    case R_X86_64_DTPMOD64:
        return relocation::thread_local_module;
    case R_X86_64_DTPOFF64:
        return relocation::thread_local_offset;
    case R_X86_64_TPOFF64:
        return relocation::thread_local_position;
    case R_X86_64_TLSDESC:
        return relocation::thread_local_descriptor;
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
    return reinterpret_cast<std::byte *>(&reserved) == thread_pointer() + block_position;
}

std::span<std::byte> room() noexcept {
    return reserved.room;
}

block_place place_of_program(const thread_local_image &image) noexcept {
    const std::size_t mask = image.alignment - 1;
    return below((image.memory_size + mask) & ~mask);
}

block_place place_of_library(const thread_local_image &image, std::size_t taken) noexcept {
    const std::size_t mask = image.alignment - 1;
    const std::size_t least = taken + image.memory_size;
    return below(least + ((-image.address - least) & mask)); // as far from a multiple as its address is
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
