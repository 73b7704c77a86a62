// SPDX-License-Identifier: Apache-2.0
// From a collective call to its schedule: tells intra- from inter-communicators, resolves MPI_IN_PLACE and
// has the algorithm chosen. Arguments have been checked by the caller, but for what only the operation
// knows (types that it does not take).
#pragma once

#include <optional>

#include "collective/call.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// What the calling rank gives or gets apart from the other buffer; none: MPI_IN_PLACE.
using own_buffer = std::optional<typed_buffer>;

[[nodiscard]] schedule plan_barrier(const collective_call &on);
[[nodiscard]] schedule plan_bcast(const collective_call &on, const typed_buffer &buffer, int root);

/// @param block address of all blocks, count and type of each; matters at the root only
[[nodiscard]] schedule plan_gather(const collective_call &on, const own_buffer &own,
                                   const typed_buffer &block, int root);
/// @param blocks one for each rank of the sending group; at the root only
[[nodiscard]] schedule plan_gatherv(const collective_call &on, const own_buffer &own,
                                    const block_view &blocks, int root);
[[nodiscard]] schedule plan_scatter(const collective_call &on, const typed_buffer &block,
                                    const own_buffer &own, int root);
[[nodiscard]] schedule plan_scatterv(const collective_call &on, const block_view &blocks,
                                     const own_buffer &own, int root);
[[nodiscard]] schedule plan_allgather(const collective_call &on, const own_buffer &own,
                                      const typed_buffer &block);
[[nodiscard]] schedule plan_allgatherv(const collective_call &on, const own_buffer &own,
                                       const block_view &blocks);

/// @param send,receive the first of as many blocks as there are peers; send none: MPI_IN_PLACE
[[nodiscard]] schedule plan_alltoall(const collective_call &on, const own_buffer &send,
                                     const typed_buffer &receive);
/// The same where blocks differ in size or type.
[[nodiscard]] schedule plan_alltoallv(const collective_call &on, const std::optional<block_view> &send,
                                      const block_view &receive);

/// Nothing to do: for a rank that takes part in the call (without MPI_) only by making it.
[[nodiscard]] schedule plan_no_part(const collective_call &on, const char *call);
/// @param receive its address matters at the root only; count and type everywhere
[[nodiscard]] schedule plan_reduce(const collective_call &on, const own_buffer &send,
                                   const typed_buffer &receive, const op &operation, int root);
[[nodiscard]] schedule plan_allreduce(const collective_call &on, const own_buffer &send,
                                      const typed_buffer &receive, const op &operation);
/// @param send,receive addresses and type; the counts follow from `counts`
[[nodiscard]] schedule plan_reduce_scatter(const collective_call &on, const own_buffer &send,
                                           const typed_buffer &receive, std::span<const MPI_Count> counts,
                                           const op &operation);
[[nodiscard]] schedule plan_scan(const collective_call &on, const own_buffer &send,
                                 const typed_buffer &receive, const op &operation);
[[nodiscard]] schedule plan_exscan(const collective_call &on, const own_buffer &send,
                                   const typed_buffer &receive, const op &operation);

} // namespace lisle::collective
