// SPDX-License-Identifier: Apache-2.0
// 64-bit ARM. A position-independent executable reaches its thread-local variables at fixed distances above
// the thread pointer, behind two words of the C library's, in the belief that it is the process's first
// module. The host *is* that module: its only thread-local object is one block that begins there, so the
// program's variables fall into it. Invariant: no other object of the host's executable may be thread-local,
// and each thread's pointer is aligned as a program may ask for (both are checked at start).
#include "launch/host/architecture/architecture.hpp"
#include "launch/host/architecture/thread_locals.hpp"

#if !defined(__aarch64__)
#error "this file is for 64-bit ARM"
#endif

// What a thread-local descriptor calls: x0 points to the descriptor and receives its second word; no other
// register may change, so this is not to be compiled. (hint 34: a place to which calls may lead.)
asm(".text\n"
    ".p2align 4\n"
    ".globl lisle_return_position\n"
    ".hidden lisle_return_position\n"
    ".type lisle_return_position, @function\n"
    "lisle_return_position:\n"
    "    hint #34\n"
    "    ldr x0, [x0, #8]\n"
    "    ret\n"
    ".size lisle_return_position, . - lisle_return_position\n");

namespace lisle::host::architecture {

namespace {

constexpr std::size_t block_size = std::size_t{64} << 10;
constexpr std::size_t control_words = 16;     // bytes at the thread pointer, in front of the first variables
constexpr std::size_t pointer_alignment = 64; // of all thread pointers (aligned_pointers.cpp)

// Not aligned to more than the words in front of it are long: the block would begin further up, and the
// loader may put another library's variables into the gap.
struct alignas(control_words) reserved_block {
    std::byte room[block_size - 2 * control_words];
    alignas(control_words) thread_notes notes;
};
static_assert(sizeof(reserved_block) == block_size);

// Local-exec, whatever the compiler's flags: it must be reached without a call, also in signal handlers.
[[gnu::tls_model("local-exec")]] constinit thread_local reserved_block reserved{};

/// An image that begins at this distance above the thread pointer, with all in front of it taken.
block_place above(std::size_t distance, const thread_local_image &image) noexcept {
    return {static_cast<std::ptrdiff_t>(distance), distance + image.memory_size - control_words};
}

} // namespace

const char *const name = "64-bit ARM";
const std::uint16_t machine = EM_AARCH64;
const char *const library_folder = "lib/aarch64-linux-gnu";
const std::ptrdiff_t block_position = std::ptrdiff_t{control_words};
const std::size_t thread_local_room = sizeof(reserved_block::room);
const std::size_t thread_local_alignment = pointer_alignment;

const std::uint64_t no_relocation = R_AARCH64_NONE;

relocation kind_of(std::uint64_t type) noexcept {
    switch (type) {
    case R_AARCH64_COPY:
        return relocation::copy;
    case R_AARCH64_GLOB_DAT:
    case R_AARCH64_ABS64:
        return relocation::address;
    case R_AARCH64_JUMP_SLOT:
        return relocation::function;
    case R_AARCH64_TLS_DTPMOD:
        return relocation::thread_local_module;
    case R_AARCH64_TLS_DTPREL:
        return relocation::thread_local_offset;
    case R_AARCH64_TLS_TPREL:
        return relocation::thread_local_position;
    case R_AARCH64_TLSDESC:
        return relocation::thread_local_descriptor;
    case R_AARCH64_IRELATIVE:
        return relocation::by_code;
    default:
        return relocation::other;
    }
}

thread_notes &notes() noexcept {
    return reserved.notes;
}

bool block_in_place() noexcept {
    return reinterpret_cast<std::byte *>(&reserved) == thread_pointer() + block_position &&
           reinterpret_cast<std::uintptr_t>(thread_pointer()) % pointer_alignment == 0;
}

std::span<std::byte> room() noexcept {
    return reserved.room;
}

block_place place_of_program(const thread_local_image &image) noexcept {
    const std::size_t mask = image.alignment - 1;
    return above((control_words + mask) & ~mask, image);
}

block_place place_of_library(const thread_local_image &image, std::size_t taken) noexcept {
    const std::size_t mask = image.alignment - 1;
    const std::size_t least = control_words + taken;
    return above(least + ((image.address - least) & mask), image); // as far from a multiple as its address is
}

void enter(const void *start, void *initial_stack) noexcept {
    // x0: a function for the program to register with atexit (none); x29 and x30 of 0 end backtraces.
    register const void *const code asm("x16") = start;
    register void *const stack asm("x17") = initial_stack;
    asm volatile("mov sp, %1\n\t"
                 "mov x29, xzr\n\t"
                 "mov x30, xzr\n\t"
                 "mov x0, xzr\n\t"
                 "br %0"
                 :
                 : "r"(code), "r"(stack)
                 : "memory", "x0");
    __builtin_unreachable();
}

} // namespace lisle::host::architecture
