// SPDX-License-Identifier: Apache-2.0
// Collectives of ranks that live together in several places (processes with several ranks each): one rank of
// each place does for all of it what crosses from place to place. Composed of the algorithms for one level.
// [N. Karonis et al.: Exploiting hierarchy in parallel computer networks, 2000]
#pragma once

#include <vector>

#include "collective/schedule/schedule.hpp"

namespace lisle::collective {

/// The two levels as the calling rank sees them.
class hierarchy {
  public:
    /// @param place_of the place of each rank of the team @param root leads its place; the others are led by
    /// their first rank
    hierarchy(const team &whole, const std::vector<int> &place_of, int root);

    /// The ranks of the calling rank's place, the leader first.
    [[nodiscard]] team together() const noexcept { return together_; }
    /// The leaders, the root's first. @pre leads()
    [[nodiscard]] team leaders() const noexcept { return leaders_; }
    [[nodiscard]] bool leads() const noexcept { return together_.rank == 0; }

  private:
    std::vector<int> near_, leading_;
    team together_, leaders_;
};

void two_level_barrier(schedule &plan, const hierarchy &ranks);
void two_level_bcast(schedule &plan, const hierarchy &ranks, const typed_buffer &buffer);
/// @pre commutative; for both
void two_level_reduce(schedule &plan, const hierarchy &ranks, const op &operation, const typed_buffer &send,
                      const typed_buffer &receive);
void two_level_allreduce(schedule &plan, const hierarchy &ranks, const op &operation,
                         const typed_buffer &send, const typed_buffer &receive);

} // namespace lisle::collective
