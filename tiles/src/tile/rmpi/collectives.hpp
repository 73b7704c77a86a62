// SPDX-License-Identifier: Apache-2.0
// Collectives over the blocking messages of an endpoint: linear ones, logarithmic ones as LAM's lam_basic and
// so rMPI have them, and ones that know the mesh.
#pragma once

#include <span>
#include <string_view>

#include "tile/rmpi/job.hpp"

namespace lisle::tile::rmpi {

enum class algorithm : std::uint8_t {
    as_rmpi, ///< linear up to 4 ranks, logarithmic above
    linear,
    logarithmic,
    mesh, ///< parts of the data flow along short ways; needs the third version
};

/// Combines two words; associative and commutative.
using combiner = word (*)(word, word);

/// All calls are for all ranks. Data of all ranks have the same size unless it is said otherwise.
void broadcast(endpoint &self, algorithm with, int root, std::span<word> data);
/// @param result at the root: as long as `mine`; elsewhere unused
void reduce(endpoint &self, algorithm with, int root, std::span<const word> mine, std::span<word> result,
            combiner combine);
void allreduce(endpoint &self, algorithm with, std::span<const word> mine, std::span<word> result,
               combiner combine);
/// @param all at the root: that of all ranks, in order; elsewhere unused
void gather(endpoint &self, int root, std::span<const word> mine, std::span<word> all);
void scatter(endpoint &self, int root, std::span<const word> all, std::span<word> mine);
void allgather(endpoint &self, algorithm with, std::span<const word> mine, std::span<word> all);
void barrier(endpoint &self);

} // namespace lisle::tile::rmpi
