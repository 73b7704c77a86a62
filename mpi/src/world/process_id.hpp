// SPDX-License-Identifier: Apache-2.0
// Names of jobs and processes that are unique among jobs which meet later (MPI_Comm_connect, MPI_Comm_spawn).
#pragma once

#include <cstdint>

namespace lisle {

/// Names a job: 64 random bits, never 0, the same for all its processes.
enum class job_id : std::uint64_t {};

/// A new one. Throws mpi_error if the system gives no random numbers.
[[nodiscard]] job_id make_job_id();

/// The part of a job's id that its contexts carry (communicator/context.hpp); never 0.
[[nodiscard]] constexpr std::uint64_t context_part_of(job_id id) noexcept {
    const std::uint64_t bits = static_cast<std::uint64_t>(id) & 0xffff;
    return bits != 0 ? bits : 1;
}

/// Names a process among those of all jobs.
struct process_id {
    job_id job;
    int index; ///< of the process in its job
    friend constexpr bool operator==(const process_id &, const process_id &) = default;
};

} // namespace lisle
