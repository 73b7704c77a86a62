// SPDX-License-Identifier: Apache-2.0
// From one grid to another: each point of the receiver is a weighted sum of points of the sender. The weights
// are a sparse matrix whose rows lie where their points do; the points of the sender that a rank's rows name
// come by a router of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

#include "lisle/couple/decomposition.hpp"

namespace lisle::couple {

/// One entry of the matrix.
struct weight {
    std::int64_t place;  ///< of the receiver's point, in the caller's memory
    global_index source; ///< the sender's point, by its number
    double factor;
};

class regridding {
  public:
    /// Collective over a communicator that has the ranks of both grids; a rank may have points of both, or of
    /// none.
    /// @param offered points of the sender's grid that the caller has
    /// @param places of the receiver's grid in the caller's memory @param weights of the caller's rows, in
    /// any order Throws std::invalid_argument, at all ranks the same, if a weight names a place or a point
    /// that there is not, or a point that nobody offers.
    regridding(MPI_Comm all, const decomposition &offered, std::int64_t places,
               std::span<const weight> weights);
    regridding(regridding &&) noexcept;
    regridding &operator=(regridding &&) noexcept;
    ~regridding();

    /// Collective: `to` becomes the matrix times `from`. Places without a row keep what they have. The sum of
    /// each row is taken in the order of the sources' numbers, so that it does not depend on who has them.
    /// @param from the caller's points of the sender's grid, level after level @param to those of the
    /// receiver's
    void operator()(std::span<const double> from, std::span<double> to, std::int64_t levels = 1) const;

    /// Points of the sender that the caller's rows name.
    [[nodiscard]] std::int64_t sources() const noexcept;

  private:
    class state;
    std::unique_ptr<state> state_;
};

} // namespace lisle::couple
