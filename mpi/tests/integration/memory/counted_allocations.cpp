// SPDX-License-Identifier: Apache-2.0
#include "counted_allocations.hpp"

#include <cerrno>
#include <cstddef>

extern "C" {
void *__libc_malloc(std::size_t bytes);
void *__libc_calloc(std::size_t count, std::size_t bytes);
void *__libc_realloc(void *memory, std::size_t bytes);
void *__libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void *memory);
}

namespace {

struct counts {
    bool counting;
    long allocations;
    long failing; ///< the number of the allocation that fails; 0: none
    long outstanding;
};
// Of a thread: fibers that share one are counted together. Initial-exec: reading it allocates nothing.
[[gnu::tls_model("initial-exec")]] thread_local counts mine{};

/// @return false: this one fails
bool may_allocate() {
    if (!mine.counting || ++mine.allocations != mine.failing) {
        return true;
    }
    errno = ENOMEM;
    return false;
}
void *counted(void *memory) {
    mine.outstanding += mine.counting && memory != nullptr ? 1 : 0;
    return memory;
}

} // namespace

extern "C" {

void counted_begin(long failing) {
    mine = {true, 0, failing, 0};
}
long counted_end() {
    mine.counting = false;
    return mine.allocations;
}
long counted_pause() {
    mine.counting = false;
    return mine.failing;
}
long counted_outstanding() {
    return mine.outstanding;
}

void *malloc(std::size_t bytes) {
    return may_allocate() ? counted(__libc_malloc(bytes)) : nullptr;
}
void *calloc(std::size_t count, std::size_t bytes) {
    return may_allocate() ? counted(__libc_calloc(count, bytes)) : nullptr;
}
void *realloc(void *memory, std::size_t bytes) {
    if (!may_allocate()) {
        return nullptr;
    }
    return memory == nullptr ? counted(__libc_realloc(memory, bytes)) : __libc_realloc(memory, bytes);
}
int posix_memalign(void **into, std::size_t alignment, std::size_t bytes) {
    *into = may_allocate() ? counted(__libc_memalign(alignment, bytes)) : nullptr;
    return *into != nullptr ? 0 : ENOMEM;
}
void *aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return may_allocate() ? counted(__libc_memalign(alignment, bytes)) : nullptr;
}
void free(void *memory) {
    mine.outstanding -= mine.counting && memory != nullptr ? 1 : 0;
    __libc_free(memory);
}
}
