// SPDX-License-Identifier: Apache-2.0
// What all plans have in common: the empty schedule, the ranks that share something, the choice of the
// algorithm, and arrays of blocks.
#pragma once

#include <vector>

#include "collective/plan.hpp"
#include "collective/selection.hpp"

namespace lisle::collective {

/// All blocks of an array as one buffer.
[[nodiscard]] typed_buffer whole(const typed_buffer &block, int ranks) noexcept;
[[nodiscard]] typed_buffer block_of(const typed_buffer &block, int rank) noexcept;
[[nodiscard]] const typed_buffer &block_of(std::span<const typed_buffer> blocks, int rank) noexcept;

/// Throws on inter-communicators.
void refuse_inter(const communicator &comm, const char *what);
/// The calling rank's own group with what it shares.
[[nodiscard]] team team_of(const occasion &on);
/// The process of each rank, if they live in several, and several in some; otherwise nothing.
[[nodiscard]] std::vector<int> places_of(const team &team);
/// An empty schedule that says what it is for. @param root unsaid if the call has none
[[nodiscard]] schedule plan_of(const occasion &on, const char *call, std::int64_t root, std::int64_t bytes,
                               const op *reduction = nullptr);

/// The algorithm to use; `given` lacks what the team and the board say. Steps of a blocking call that will be
/// no messages are taken at once from here on. @pre no step so far
[[nodiscard]] algorithm choose_for(schedule &plan, const occasion &on, const team &team, situation given);
/// @param bytes,posted see situation
[[nodiscard]] algorithm choose_for(schedule &plan, const occasion &on, const team &team, operation what,
                                   MPI_Count bytes, MPI_Count posted);
[[nodiscard]] algorithm choose_for(schedule &plan, const occasion &on, const team &team, operation what,
                                   const op &reduction, const typed_buffer &vector);

} // namespace lisle::collective
