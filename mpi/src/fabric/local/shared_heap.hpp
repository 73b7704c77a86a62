// SPDX-License-Identifier: Apache-2.0
// Memory of a process that the other processes of its job reach by address: what programs get from
// MPI_Alloc_mem. The file behind the node's segment has a part for each process, far longer than it will ever
// fill and empty until it is written. A process maps as much of its own part as its address space allows and
// allocates from it; others map the same when they first have to do with something there. So a message from
// such memory is copied once, without the kernel's help, and where the kernel would not give any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "fabric/local/node_segment.hpp"

namespace lisle {

/// Thread-safe.
class shared_heap {
  public:
    /// @param segment outlives this @param process index of the calling process on its node
    shared_heap(const fabric::local::node_segment &segment, int process);
    shared_heap(const shared_heap &) = delete;
    shared_heap &operator=(const shared_heap &) = delete;
    ~shared_heap();

    /// Zeroed memory that begins with a page. Null: there is no room, or none that others could reach.
    [[nodiscard]] void *allocate(std::size_t bytes);
    /// Gives back what some shared heap of this process has allocated. False: it is from elsewhere.
    [[nodiscard]] static bool release(void *memory) noexcept;

    /// True if these bytes lie in this process's part.
    [[nodiscard]] bool holds(const void *data, std::size_t bytes) const noexcept {
        const std::uintptr_t own = own_.load(std::memory_order_relaxed); // who asks has got data from there
        const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(data) - own;
        const std::size_t extent = extent_.load(std::memory_order_relaxed);
        return own != 0 && offset < extent && bytes <= extent - offset;
    }
    /// Where the bytes at an address of another process lie here; null: they are not in its part, or it
    /// cannot be mapped.
    [[nodiscard]] std::byte *find(int process, std::uint64_t address, std::size_t bytes) noexcept;

  private:
    [[nodiscard]] std::byte *map(int process, std::size_t bytes) const noexcept;
    /// Maps the own part, at least `needed` bytes of it. False: there is not so much address space.
    [[nodiscard]] bool map_own(std::size_t needed);
    [[nodiscard]] bool give_back(std::byte *memory) noexcept;

    const fabric::local::node_segment &segment_;
    int process_;
    std::size_t part_; ///< bytes of each process's part
    std::atomic<std::uintptr_t> own_{0};
    std::atomic<std::size_t> extent_{0}; ///< bytes that are mapped there; relaxed, written before
    /// Where the others' parts are mapped; 0: not yet; 1: cannot be. Release when mapped, acquire where used:
    /// who sees the address sees the mapping.
    std::vector<std::atomic<std::uintptr_t>> others_;

    std::mutex mutex_;                         ///< protects both
    std::map<std::size_t, std::size_t> free_;  ///< offset: bytes; no two touch
    std::map<std::size_t, std::size_t> taken_; ///< offset: bytes
};

} // namespace lisle
