// SPDX-License-Identifier: Apache-2.0
#include "counted_allocations.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>

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
    double until;         ///< when those that follow no longer fail; 0: only that one does
    std::uintptr_t frame; ///< where counting began, on the stack of the thread or fiber
};
// Of a thread: of several fibers that count, the latest one counts. Initial-exec: reading it allocates
// nothing.
[[gnu::tls_model("initial-exec")]] thread_local counts mine{};

/// False on the stack of another fiber.
bool counts_here() {
    constexpr std::uintptr_t deepest = 48 * 1024; // less than any stack has
    return mine.counting &&
           mine.frame - reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < deepest;
}

double now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// @return false: this one fails
bool may_allocate() {
    if (!counts_here()) {
        return true;
    }
    ++mine.allocations;
    if (mine.allocations != mine.failing &&
        (mine.allocations < mine.failing || mine.until == 0 || now() >= mine.until)) {
        return true;
    }
    errno = ENOMEM;
    return false;
}
void *counted(void *memory) {
    mine.outstanding += counts_here() && memory != nullptr ? 1 : 0;
    return memory;
}

} // namespace

extern "C" {

void counted_begin(long failing) {
    constexpr std::uintptr_t caller = 4096; // the frames of what counts may begin above this one
    mine = {true, 0, failing, 0, 0, reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) + caller};
}
void counted_begin_refusing(long failing, double seconds) {
    counted_begin(failing);
    mine.until = now() + seconds;
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
    mine.outstanding -= counts_here() && memory != nullptr ? 1 : 0;
    __libc_free(memory);
}
}
