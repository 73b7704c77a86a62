// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace lisle::protocol {

/// One rank's wait for memory that the system refuses. Needs no memory itself.
class memory_wait {
  public:
    /// After each refusal. A wait that lasts is said once, on the error output: others wait for this rank
    /// meanwhile, and would not tell why. @param rank in MPI_COMM_WORLD
    void refused(int rank) noexcept;

  private:
    using clock = std::chrono::steady_clock;
    clock::time_point first_{}; ///< of the refusals
    bool said_ = false;
};

} // namespace lisle::protocol
