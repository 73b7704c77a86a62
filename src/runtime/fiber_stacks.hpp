// SPDX-License-Identifier: Apache-2.0
// Stacks for fibers: one reserved range of addresses, of which only what is touched takes memory. Below each
// stack lies a page that nothing may touch, so an overflow is a fault at the place where it happens.
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
    [[nodiscard]] std::byte *top(std::size_t index) const noexcept { return base_ + (index + 1) * step(); }

    /// What `ulimit -s` promises (64 MiB if that is unlimited), in whole pages.
    [[nodiscard]] static std::size_t promised_bytes() noexcept;

  private:
    static constexpr std::size_t page = 4096;
    [[nodiscard]] std::size_t step() const noexcept { return bytes_ + page; }

    std::byte *base_;
    std::size_t count_;
    std::size_t bytes_;
};

} // namespace lisle
