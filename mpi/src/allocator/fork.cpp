// SPDX-License-Identifier: Apache-2.0
// What a fork makes of the blocks. The child must get its own copy of all memory, as it was at that moment.
// So the parent first makes its blocks private: in one step each mapping of the file is replaced by a private
// one, of which the kernel makes exact copies. From then on peers cannot reach these blocks by address any
// more. Blocks that are allocated afterwards lie in the file again, behind them.
#include "allocator/block_region.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "allocator/own_mappings.hpp"

namespace lisle::allocator {

namespace {

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

constexpr std::size_t page = shared_blocks::page;

/// Gives each page of a private mapping memory of its own, whatever other threads write there meanwhile.
bool take_from_file(std::byte *from, std::size_t bytes) noexcept {
    if (madvise(from, bytes, MADV_POPULATE_WRITE) == 0) {
        return true;
    }
    if (errno != EINVAL) { // else the kernel is older than 5.14
        return false;
    }
    for (std::size_t at = 0; at < bytes; at += page) {
        __atomic_fetch_or(reinterpret_cast<unsigned char *>(from + at), 0, __ATOMIC_RELAXED);
    }
    return true;
}

/// Moves what a file has of a range to a private mapping of it that can be written. What cannot be moved
/// stays where it is, which is right, too, but takes memory twice when it is written.
void empty_file(int file, std::size_t from, std::size_t end, std::byte *mapping) noexcept {
    constexpr std::size_t step = std::size_t{4} << 20; // so much is there twice
    while (from < end) {
        const off_t data = lseek(file, static_cast<off_t>(from), SEEK_DATA);
        const off_t hole = data >= 0 ? lseek(file, data, SEEK_HOLE) : -1;
        if (hole <= data) {
            return; // there is no more
        }
        const std::size_t run_end = std::min(static_cast<std::size_t>(hole), end);
        for (from = static_cast<std::size_t>(data); from < run_end; from += step) {
            const std::size_t some = std::min(step, run_end - from);
            if (!take_from_file(mapping + from, some)) {
                return;
            }
            fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                      static_cast<off_t>(some));
        }
        from = run_end;
    }
}

} // namespace

// One mapping takes the place of another within one call, so other threads never find nothing there.
void block_region::make_private() noexcept {
    const std::size_t from = std::size_t{pages_.low()} * page;
    while (const page_number unused = pages_.any_unclean()) {
        if (!clean(unused)) {
            break;
        }
    }
    const std::size_t to = std::size_t{pages_.high()} * page;
    if (from == to) {
        return;
    }
    head_->first.store(to, std::memory_order_seq_cst);
    while (head_->users.load(std::memory_order_seq_cst) != 0) {
        sched_yield(); // a peer is copying, which takes it no longer than its bytes do
    }
    const bool emptied = file_is_open();
    const bool replaced =
        each_own_mapping(reinterpret_cast<std::uintptr_t>(at(pages_.low())),
                         reinterpret_cast<std::uintptr_t>(at(pages_.high())), [&](const own_mapping &each) {
                             const std::size_t offset = each.begin - base_.load(std::memory_order_relaxed);
                             const std::size_t bytes = each.end - each.begin;
                             if (mprotect(private_view_ + offset, bytes, each.protection) != 0 ||
                                 mremap(private_view_ + offset, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                                        at(0) + offset) == MAP_FAILED) {
                                 std::abort();
                             }
                             if (emptied && (each.protection & PROT_WRITE) != 0) {
                                 empty_file(descriptor_, offset, offset + bytes, at(0));
                             }
                         });
    if (!replaced) {
        std::abort(); // rather than a child that changes what its parent has
    }
    pages_.retire();
}

void block_region::before_fork() noexcept {
    pthread_mutex_lock(&lock_);
    const int before = errno;
    if (head_ != nullptr && !is_private_) {
        make_private();
    }
    forking_ = true;
    errno = before;
}

void block_region::after_fork_here() noexcept {
    forking_ = false;
    pthread_mutex_unlock(&lock_);
}

void block_region::after_fork_in_child() noexcept {
    const int before = errno;
    if (head_ != nullptr && !is_private_) {
        // Nothing of the child's lies in its parent's file. What it allocates from now on is its own.
        const std::size_t bytes = bytes_.load(std::memory_order_relaxed);
        const std::size_t rest = std::size_t{pages_.low()} * page;
        const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
        if (mmap(at(0), page, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED ||
            mmap(at(0) + rest, bytes - rest, PROT_NONE, flags, -1, 0) == MAP_FAILED) {
            std::abort();
        }
        munmap(private_view_, page);
        munmap(private_view_ + rest, bytes - rest);
        if (file_is_open()) {
            close(descriptor_);
        }
        descriptor_ = -1;
        is_private_ = true;
        open_ = pages_.low();
    }
    forking_ = false;
    lock_ = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    errno = before;
}

} // namespace lisle::allocator
