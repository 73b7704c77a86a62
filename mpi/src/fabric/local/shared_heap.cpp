// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/shared_heap.hpp"

#include <algorithm>
#include <fcntl.h>
#include <iterator>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/thread_order.hpp"

namespace lisle {

namespace {

constexpr std::size_t page = 4096;
constexpr std::uintptr_t cannot_be = 1;

/// How much of its part each of so many processes maps: all, where address space is not limited; else so much
/// that half of it is left when a process has mapped everybody's.
std::size_t share_of_address_space(std::size_t part, int processes) noexcept {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return part;
    }
    const std::size_t share = limit.rlim_cur / 2 / static_cast<std::size_t>(processes);
    return std::min(part, share / page * page);
}

/// All that this process has: mostly none or one.
struct registry {
    std::mutex mutex;
    std::vector<shared_heap *> all;
};
registry &known() {
    static auto *const made = new registry; // programs may free memory while static objects are destroyed
    return *made;
}

} // namespace

shared_heap::shared_heap(const fabric::local::node_segment &segment, int process)
    : segment_{segment}, process_{process}, part_{segment.heap_part(process).bytes},
      others_(static_cast<std::size_t>(part_ != 0 ? segment.processes() : 0)) {
    if (part_ != 0) {
        free_.emplace(0, part_);
        const std::scoped_lock guard{known().mutex};
        known().all.push_back(this);
    }
}

shared_heap::~shared_heap() {
    {
        const std::scoped_lock guard{known().mutex};
        std::erase(known().all, this);
    }
    const auto unmap = [](std::uintptr_t base, std::size_t bytes) {
        if (base > cannot_be) {
            munmap(reinterpret_cast<void *>(base), bytes);
        }
    };
    unmap(own_, extent_);
    for (std::size_t process = 0; process != others_.size(); ++process) {
        unmap(others_[process],
              segment_.heap_extent(static_cast<int>(process)).load(std::memory_order_relaxed));
    }
}

std::byte *shared_heap::map(int process, std::size_t bytes) const noexcept {
    const auto [descriptor, offset, part] = segment_.heap_part(process);
    if (bytes > part) { // what another process says is checked
        return nullptr;
    }
    void *const base =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, offset);
    return base == MAP_FAILED ? nullptr : static_cast<std::byte *>(base);
}

bool shared_heap::map_own(std::size_t needed) {
    const std::size_t extent = std::max(share_of_address_space(part_, segment_.processes()), needed);
    std::byte *const own = map(process_, extent);
    if (own == nullptr) {
        free_.clear(); // nobody tries again
        return false;
    }
    free_ = {{0, extent}};
    extent_.store(extent, std::memory_order_relaxed);
    own_.store(reinterpret_cast<std::uintptr_t>(own), std::memory_order_relaxed);
    segment_.heap_extent(process_).store(extent, std::memory_order_relaxed);
    // Release: pairs with find(). Others hear of addresses by messages, which order this anyway.
    segment_.heap_base(process_).store(reinterpret_cast<std::uintptr_t>(own), std::memory_order_release);
    return true;
}

void *shared_heap::allocate(std::size_t bytes) {
    if (bytes == 0 || bytes > part_) {
        return nullptr;
    }
    const std::size_t whole = (bytes + page - 1) / page * page;
    const std::scoped_lock guard{mutex_};
    if (whole > part_ || free_.empty() || (own_.load(std::memory_order_relaxed) == 0 && !map_own(whole))) {
        return nullptr;
    }
    const auto room =
        std::find_if(free_.begin(), free_.end(), [whole](const auto &hole) { return hole.second >= whole; });
    if (room == free_.end()) {
        return nullptr;
    }
    const auto [offset, length] = *room;
    free_.erase(room);
    if (length > whole) {
        free_.emplace(offset + whole, length - whole);
    }
    taken_.emplace(offset, whole);
    if (thread_order::told()) { // what others did to this memory comes before
        thread_order::place{thread_order::maker::memory}.acquire();
    }
    return reinterpret_cast<void *>(own_.load(std::memory_order_relaxed) + offset);
}

bool shared_heap::release(void *memory) noexcept {
    const std::scoped_lock guard{known().mutex};
    return std::any_of(known().all.begin(), known().all.end(), [memory](shared_heap *each) {
        return each->give_back(static_cast<std::byte *>(memory));
    });
}

bool shared_heap::give_back(std::byte *memory) noexcept {
    const std::scoped_lock guard{mutex_};
    const auto found =
        taken_.find(reinterpret_cast<std::uintptr_t>(memory) - own_.load(std::memory_order_relaxed));
    if (own_.load(std::memory_order_relaxed) == 0 || found == taken_.end()) {
        return false;
    }
    if (thread_order::told()) {
        thread_order::place{thread_order::maker::memory}.release();
    }
    auto [offset, bytes] = *found;
    const auto [descriptor, part, length] = segment_.heap_part(process_);
    // The pages go back to the system and are zeroes when they are next touched.
    fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, part + static_cast<off_t>(offset),
              static_cast<off_t>(bytes));
    taken_.erase(found);
    auto after = free_.lower_bound(offset);
    if (after != free_.end() && after->first == offset + bytes) {
        bytes += after->second;
        after = free_.erase(after);
    }
    if (after != free_.begin()) {
        if (const auto before = std::prev(after); before->first + before->second == offset) {
            before->second += bytes;
            return true;
        }
    }
    free_.emplace(offset, bytes);
    return true;
}

std::byte *shared_heap::find(int process, std::uint64_t address, std::size_t bytes) noexcept {
    if (part_ == 0) {
        return nullptr;
    }
    if (process == process_) { // another mapping would do, but then one thing had two addresses
        auto *const here = reinterpret_cast<std::byte *>(address);
        return holds(here, bytes) ? here : nullptr;
    }
    const std::uint64_t base =
        segment_.heap_base(process).load(std::memory_order_acquire); // pairs with allocate
    const std::uint64_t extent = segment_.heap_extent(process).load(std::memory_order_relaxed);
    const std::uint64_t offset = address - base;
    if (base == 0 || offset >= extent || bytes > extent - offset) {
        return nullptr;
    }
    auto &other = others_[static_cast<std::size_t>(process)];
    std::uintptr_t here = other.load(std::memory_order_acquire);
    if (here == 0) {
        const std::scoped_lock guard{mutex_};
        here = other.load(std::memory_order_relaxed);
        if (here == 0) {
            std::byte *const mapped = map(process, extent);
            here = mapped != nullptr ? reinterpret_cast<std::uintptr_t>(mapped) : cannot_be;
            other.store(here, std::memory_order_release);
        }
    }
    return here == cannot_be ? nullptr : reinterpret_cast<std::byte *>(here + offset);
}

} // namespace lisle
