// SPDX-License-Identifier: Apache-2.0
// The info hints of a communicator that Lisle knows: the assertions with which a program promises not to
// use something. Unknown hints are ignored, as the standard wants.
#pragma once

#include <atomic>

#include "communicator/info.hpp"

namespace lisle {

/// What the program promises of its use of a communicator.
enum class assertion : unsigned {
    no_any_tag = 1U << 0U,
    no_any_source = 1U << 1U,
    exact_length = 1U << 2U,
    allow_overtaking = 1U << 3U,
    strict_start_ordering = 1U << 4U,
    strict_persistent_collective_ordering = 1U << 5U,
};

/// Hints in force. Any thread may read them while another sets them.
class communicator_hints {
  public:
    /// Takes over the hints that are in `from` and known. Throws MPI_ERR_INFO_VALUE for a value that
    /// is neither "true" nor "false".
    void apply(const info &from);
    /// Adds all known hints with their values.
    void describe(info &into) const;
    [[nodiscard]] bool holds(assertion what) const noexcept {
        return (in_force_.load(std::memory_order_relaxed) & static_cast<unsigned>(what)) != 0;
    }

  private:
    // Bits of `assertion`. The hints are promises of the program: they order nothing.
    std::atomic<unsigned> in_force_{0};
};

} // namespace lisle
