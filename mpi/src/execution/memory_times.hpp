// SPDX-License-Identifier: Apache-2.0
// What a program's accesses to its memory take where time is simulated.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lisle {

/// An interface of those clocks of jobs that know it (job_clock).
class memory_times {
  public:
    /// What one call may charge for lies on one such page.
    static constexpr std::size_t page = 4096;
    /// Charges a rank for bytes that its program has read, or written. May throw std::bad_alloc.
    virtual void touched(int rank, std::uintptr_t from, std::size_t bytes, bool writes) = 0;

  protected:
    ~memory_times() = default;
};

} // namespace lisle
