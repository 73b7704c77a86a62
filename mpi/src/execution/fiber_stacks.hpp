// SPDX-License-Identifier: Apache-2.0
// Stacks for fibers: one reserved range of addresses, which takes memory only where it is touched. A guard
// page lies below each stack, so an overflow faults at once. Of up to 1,024 stacks, and on kernels
// before 6.13, such a page takes memory mappings, of which a process has as many as vm.max_map_count says:
// where they do not suffice for all stacks of an older kernel, there are no guards. Stacks begin at different
// places of a page: the fibers of a worker, which mostly wait in the same functions, would push each other's
// lines out of the cache otherwise.
#pragma once

#include <cstddef>

namespace lisle {

class fiber_stacks {
  public:
    /// Throws mpi_error (MPI_ERR_NO_MEM) with need and limit if the system does not give the range.
    fiber_stacks(std::size_t count, std::size_t bytes);
    ~fiber_stacks();
    fiber_stacks(const fiber_stacks &) = delete;
    fiber_stacks &operator=(const fiber_stacks &) = delete;

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    /// The highest address of a stack, from which it grows down.
    [[nodiscard]] std::byte *top(std::size_t index) const noexcept {
        return end_of(index) - index * between_tops % page;
    }

    /// What `ulimit -s` promises (64 MiB if that is unlimited), in whole pages.
    [[nodiscard]] static std::size_t promised_bytes() noexcept;

  private:
    static constexpr std::size_t page = 4096;
    static constexpr std::size_t between_tops = 512; ///< divides a page
    /// What can be used of each: a page more than asked for, because of the different tops.
    [[nodiscard]] std::size_t usable() const noexcept { return bytes_ + page; }
    [[nodiscard]] std::size_t step() const noexcept { return usable() + page; }
    [[nodiscard]] std::byte *end_of(std::size_t index) const noexcept { return base_ + (index + 1) * step(); }
    [[nodiscard]] std::byte *guard_of(std::size_t index) const noexcept { return base_ + index * step(); }
    void guard() noexcept;

    std::byte *base_;
    std::size_t count_;
    std::size_t bytes_;
};

} // namespace lisle
