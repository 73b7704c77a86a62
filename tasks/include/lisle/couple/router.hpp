// SPDX-License-Identifier: Apache-2.0
// Who sends which points to whom, where M ranks have a field and N ranks want it. Found once, in parallel:
// each rank looks after a stretch of the grid's numbers (a distributed directory), is told who has and who
// wants points of it, and tells both. No rank sees the whole grid; what each keeps grows with its own runs
// and those of its stretch.
#pragma once

#include <cstdint>
#include <vector>

#include <mpi.h>

#include "lisle/couple/decomposition.hpp"

namespace lisle::couple {

/// What the caller exchanges with one rank: points in ascending order of their numbers, as the other has
/// them, too.
struct route {
    int rank; ///< in the communicator of the router
    std::vector<point_run> runs;
    [[nodiscard]] std::int64_t points() const noexcept;
};

class router {
  public:
    /// Collective over a communicator that has all senders and receivers; a rank may be both.
    /// Throws std::invalid_argument, at all ranks the same, if the ranks do not agree on the number of the
    /// grid's points, or two of them offer the same point.
    router(MPI_Comm all, const decomposition &offered, const decomposition &wanted);

    [[nodiscard]] const std::vector<route> &sends() const noexcept { return sends_; }
    [[nodiscard]] const std::vector<route> &receives() const noexcept { return receives_; }
    /// Points that the caller wants and nobody offers.
    [[nodiscard]] std::int64_t unserved() const noexcept { return unserved_; }

  private:
    std::vector<route> sends_, receives_;
    std::int64_t unserved_ = 0;
};

} // namespace lisle::couple
