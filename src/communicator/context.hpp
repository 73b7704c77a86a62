// SPDX-License-Identifier: Apache-2.0
// Contexts: the numbers that keep the messages of communicators apart. A rank hands out numbers that
// carry its own and that of a track (protocol/track.hpp), so any rank can propose one that nobody else has or
// will have; the members of a new communicator take the proposal of one of them. There are enough never to
// reuse one.
#pragma once

#include <cstdint>

namespace lisle {

/// The message spaces of one communicator, as offsets to its base context.
enum class message_space : std::uint64_t {
    point_to_point = 0,
    collective = 1,
    local_collective = 2, ///< within the local group of an inter-communicator
    agreement = 3,        ///< creation of communicators, within the local group
    remote_agreement = 4, ///< creation of communicators, between the groups of an inter-communicator
    tagged_agreement = 5, ///< MPI_Comm_create_group, with the user's tags
    leaders = 6,          ///< MPI_Intercomm_create, with the user's tags
    ownership = 7,        ///< buffers that change owner (MPIX_Send_owned)
    partitioned = 8,      ///< partitioned messages and their greetings
};

/// Where ranks meet that have no communicator yet (from_group.cpp). No communicator has these.
inline constexpr std::uint64_t meeting_context = 1;         ///< members of a group
inline constexpr std::uint64_t leaders_meeting_context = 2; ///< leaders of two groups

/// From a communicator's base context to that of its shadow, which has all message spaces, too.
inline constexpr std::uint64_t shadow_offset = 16;
/// Contexts from one base to the next.
inline constexpr std::uint64_t contexts_per_communicator = 32;
/// The base of MPI_COMM_WORLD. 0 is no context.
inline constexpr std::uint64_t world_context = contexts_per_communicator;

/// A base context that no rank of the job has had before (2^33 for each of 2^24 ranks).
[[nodiscard]] std::uint64_t next_context();
/// The first of several base contexts in a row.
[[nodiscard]] std::uint64_t next_contexts(std::uint64_t count);

/// True if `value` can be what next_context() returned somewhere in a job of this many ranks.
[[nodiscard]] bool plausible_context(std::uint64_t value, int job_size) noexcept;

} // namespace lisle
