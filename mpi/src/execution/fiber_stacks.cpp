// SPDX-License-Identifier: Apache-2.0
#include "execution/fiber_stacks.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/error.hpp"
#include "base/sanitizer_calls.hpp"
#include "mpi.h"

namespace lisle {

namespace {

// Linux 6.13: a page that faults, without a mapping of its own. Older headers have no name for it.
constexpr int guard_install = 102;

/// Whether a page between each stack and the next can be a mapping of its own.
bool has_mappings_for(std::size_t count) {
    // Each stack is a mapping, and the page below it another; the process will have some more than it has
    // now.
    constexpr std::size_t of_stack = 2, of_process = 1000;
    std::size_t limit = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> limit;
    std::ifstream maps("/proc/self/maps");
    const auto now = static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n'));
    return limit == 0 || now + of_process + count * of_stack <= limit;
}

} // namespace

fiber_stacks::fiber_stacks(std::size_t count, std::size_t bytes)
    : count_{count}, bytes_{(std::max(bytes, 4 * page) + page - 1) / page * page} {
    void *const range = mmap(nullptr, count * step(), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (range == MAP_FAILED) {
        fail(MPI_ERR_NO_MEM, "the stacks of ", count, " fibers, ", bytes_ / 1024,
             " KiB each, cannot be reserved: ", std::strerror(errno), " (lower ulimit -s, raise ulimit -v)");
    }
    base_ = static_cast<std::byte *>(range);
    // A huge page for each would take 2 MiB where a fiber needs 8 KiB.
    madvise(base_, count * step(), MADV_NOHUGEPAGE);
    guard();
}

void fiber_stacks::guard() noexcept {
    std::size_t done = 0;
    const auto protect = [&] {
        while (done < count_ && mprotect(guard_of(done), page, PROT_NONE) == 0) {
            ++done;
        }
    };
    // gdb leaves a mapping out of core files if it cannot read all of it.
    if (constexpr std::size_t most_for_debuggers = 1024; count_ <= most_for_debuggers) {
        protect();
    }
    while (done < count_ && madvise(guard_of(done), page, guard_install) == 0) {
        ++done;
    }
    if (done < count_ && has_mappings_for(count_ - done)) {
        protect();
    }
    // So many stacks are guarded; see the file's head.
}

fiber_stacks::~fiber_stacks() {
    if (__asan_unpoison_memory_region != nullptr) {
        // A fiber's first functions never return: what is noted about them would hold for what is mapped here
        // next.
        __asan_unpoison_memory_region(base_, count_ * step());
    }
    munmap(base_, count_ * step());
}

std::size_t fiber_stacks::promised_bytes() noexcept {
    constexpr std::size_t for_unlimited = std::size_t{64} << 20;
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return for_unlimited;
    }
    return (limit.rlim_cur + page - 1) / page * page;
}

} // namespace lisle
