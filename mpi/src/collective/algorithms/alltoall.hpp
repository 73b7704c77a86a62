// SPDX-License-Identifier: Apache-2.0
// Algorithms of MPI_Alltoall(v, w): a block from each rank to each rank.
#pragma once

#include <vector>

#include "collective/block_view.hpp"
#include "collective/steps/immediate_steps.hpp"
#include "collective/steps/schedule.hpp"
#include "datatype/copy.hpp"

namespace lisle::collective {

/// Pairwise exchange: in round k each rank sends to the one k further and receives from the one k
/// before. [Thakur, Rabenseifner, Gropp 2005, section 4.4]
/// Blocks without data are not sent: both sides know that.
void alltoall_pairwise(schedule &plan, const team &team, const block_view &send_blocks,
                       const block_view &receive_blocks);
/// The same between the groups of an inter-communicator.
void allgather_between_groups(schedule &plan, const team &own, const team &other, const typed_buffer &given,
                              const block_view &receive_blocks);
void alltoall_between_groups(schedule &plan, const team &own, const team &other,
                             const block_view &send_blocks, const block_view &receive_blocks);

/// Bruck: log2(size) rounds, in each of which half of the blocks travel together. For short blocks.
/// [J. Bruck et al.: Efficient algorithms for all-to-all communications, 1997]
/// @pre all blocks have one size; within one group
void alltoall_bruck(schedule &plan, const team &team, const block_view &send_blocks,
                    const block_view &receive_blocks);

/// Everything begins at once, nearest ranks first. For few ranks and for comparison.
void alltoall_linear(schedule &plan, const team &team, const block_view &send_blocks,
                     const block_view &receive_blocks);

/// Packed copies of all blocks but the calling rank's own: what MPI_IN_PLACE sends while the blocks are
/// overwritten.
template <class Plan>
[[nodiscard]] std::vector<typed_buffer> packed_copies(Plan &plan, const team &team, const block_view &blocks);
/// What has them made at once, and keeps them.
class own_copies : public step_memory {
  public:
    void copy(const typed_buffer &from, const typed_buffer &to) { lisle::copy(from, to, 0, from.bytes()); }
};

} // namespace lisle::collective
