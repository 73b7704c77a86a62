// SPDX-License-Identifier: Apache-2.0
// What accesses to files take where time is simulated.
#pragma once

#include <cstddef>

namespace lisle {

/// An interface of those clocks of jobs that know it (job_clock).
class file_times {
  public:
    /// Charges a rank for an access to a file that has moved so many bytes.
    virtual void accesses(int rank, std::size_t bytes) noexcept = 0;

  protected:
    ~file_times() = default;
};

} // namespace lisle
