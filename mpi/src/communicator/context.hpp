// SPDX-License-Identifier: Apache-2.0
// Contexts: the numbers that keep the messages of communicators apart. A rank hands out numbers that carry a
// part of its job's id, its own number and that of a track (protocol/track.hpp), so any rank can propose one
// that nobody else has or will have, in jobs that meet later as well; the members of a new communicator take
// the proposal of one of them. There are enough never to reuse one.
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
    recovery = 9,         ///< agreements among survivors, see protocol/failures.hpp
    departure = 10,       ///< MPI_Finalize, which matches no other call
    accesses = 11,        ///< what fences tell of accesses to windows (LISLE_CHECK)
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

/// What a context says of its origin.
struct context_origin {
    std::uint64_t job;   ///< see job::context_part
    std::uint64_t owner; ///< number of the rank that proposed it
    std::uint64_t count; ///< how many the rank had proposed before, on any track
    int track;
    friend constexpr bool operator==(const context_origin &, const context_origin &) = default;
};

/// How many base contexts each rank of a job of this size can propose: about 2^41 in all.
[[nodiscard]] std::uint64_t contexts_of_rank(int job_size) noexcept;
/// @pre origin.owner < job_size, origin.count < contexts_of_rank(job_size)
[[nodiscard]] std::uint64_t make_context(const context_origin &origin, int job_size) noexcept;
/// The opposite.
[[nodiscard]] context_origin origin_of(std::uint64_t context, int job_size) noexcept;

/// A base context that no rank of this job or another has had before.
/// Throws mpi_error (MPI_ERR_OTHER) if the rank has proposed as many as there are.
[[nodiscard]] std::uint64_t next_context();
/// The same on the first track, where ranks of other jobs are reached.
[[nodiscard]] std::uint64_t next_context_for_other_jobs();
/// The first of several base contexts in a row.
[[nodiscard]] std::uint64_t next_contexts(std::uint64_t count);

/// The part of the job's id in a context of any job, see job::context_part.
[[nodiscard]] std::uint64_t job_part_of(std::uint64_t context) noexcept;
/// True if a communicator's context can be this one, in some job.
[[nodiscard]] constexpr bool is_base_context(std::uint64_t context) noexcept {
    return context % contexts_per_communicator == 0;
}

/// True if `value` can be what next_context() returned somewhere in a job of this many ranks.
/// @param job_part see job::context_part
[[nodiscard]] bool plausible_context(std::uint64_t value, int job_size, std::uint64_t job_part) noexcept;

} // namespace lisle
