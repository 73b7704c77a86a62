// SPDX-License-Identifier: Apache-2.0
// What compilers call before loads and stores with -fsanitize=thread, of which `mpicc --check` uses the
// compiler's part alone: these functions stand where ThreadSanitizer's would.
#include "hooks/note.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,bugprone-macro-parentheses): the compilers' names
namespace lisle::hooks {

constinit access_view view;

namespace {
bool begun = false; // Constructors of one file run one after the other.

[[gnu::destructor]] void end() {
    if (begun) {
        lisle_watch_accesses(&view, 0);
    }
}
} // namespace

} // namespace lisle::hooks

using lisle::memory_access;
using lisle::hooks::note;

extern "C" {

/// Each object file that was compiled so calls this as a constructor.
void __tsan_init() {
    if (!lisle::hooks::begun) {
        lisle::hooks::begun = true;
        lisle_watch_accesses(&lisle::hooks::view, 1);
    }
}

void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}

#define LISLE_HOOK(name, bytes, how)                                                                         \
    void __tsan_##name(void *address) {                                                                      \
        note(address, bytes, memory_access::how, __builtin_return_address(0));                               \
    }
#define LISLE_HOOKS(bytes)                                                                                   \
    LISLE_HOOK(read##bytes, bytes, load)                                                                     \
    LISLE_HOOK(write##bytes, bytes, store)                                                                   \
    LISLE_HOOK(read_write##bytes, bytes, change)                                                             \
    LISLE_HOOK(unaligned_read##bytes, bytes, load)                                                           \
    LISLE_HOOK(unaligned_write##bytes, bytes, store)                                                         \
    LISLE_HOOK(unaligned_read_write##bytes, bytes, change)                                                   \
    LISLE_HOOK(volatile_read##bytes, bytes, load)                                                            \
    LISLE_HOOK(volatile_write##bytes, bytes, store)                                                          \
    LISLE_HOOK(unaligned_volatile_read##bytes, bytes, load)                                                  \
    LISLE_HOOK(unaligned_volatile_write##bytes, bytes, store)

LISLE_HOOKS(1)
LISLE_HOOKS(2)
LISLE_HOOKS(4)
LISLE_HOOKS(8)
LISLE_HOOKS(16)
LISLE_HOOK(vptr_read, sizeof(void *), load)

void __tsan_vptr_update(void **address, void *) {
    note(address, sizeof *address, memory_access::store, __builtin_return_address(0));
}
void __tsan_read_range(void *address, std::size_t bytes) {
    note(address, bytes, memory_access::load, __builtin_return_address(0));
}
void __tsan_write_range(void *address, std::size_t bytes) {
    note(address, bytes, memory_access::store, __builtin_return_address(0));
}

} // extern "C"
// NOLINTEND(bugprone-reserved-identifier,bugprone-macro-parentheses)
