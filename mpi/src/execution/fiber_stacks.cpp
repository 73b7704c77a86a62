// SPDX-License-Identifier: Apache-2.0
#include "execution/fiber_stacks.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/error.hpp"
#include "base/sanitizer_calls.hpp"
#include "mpi.h"

namespace lisle {

namespace {

// Each stack is a mapping, and the page below it another; the process has others.
constexpr long mappings_of_stack = 2;
constexpr long mappings_of_process = 2000;

void check_mappings(std::size_t count) {
    long limit = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> limit;
    const long need = mappings_of_process + static_cast<long>(count) * mappings_of_stack;
    if (limit != 0 && need > limit) {
        fail(MPI_ERR_NO_MEM, "the stacks of ", count, " fibers need about ", need,
             " memory mappings, the limit vm.max_map_count is ", limit,
             "; raise it (sysctl vm.max_map_count=", need, ") or use fewer ranks in a process");
    }
}

} // namespace

fiber_stacks::fiber_stacks(std::size_t count, std::size_t bytes)
    : count_{count}, bytes_{(std::max(bytes, 4 * page) + page - 1) / page * page} {
    check_mappings(count);
    void *const range = mmap(nullptr, count * step(), PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    const auto refuse = [&] {
        fail(MPI_ERR_NO_MEM, "the stacks of ", count, " fibers, ", bytes_ / 1024,
             " KiB each, cannot be reserved: ", std::strerror(errno), " (lower ulimit -s, raise ulimit -v)");
    };
    if (range == MAP_FAILED) {
        refuse();
    }
    base_ = static_cast<std::byte *>(range);
    // A huge page for each would take 2 MiB where a fiber needs 8 KiB.
    madvise(base_, count * step(), MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < count; ++i) {
        if (mprotect(end_of(i) - usable(), usable(), PROT_READ | PROT_WRITE) != 0) {
            const int reason = errno;
            munmap(base_, count * step());
            errno = reason;
            refuse();
        }
    }
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
