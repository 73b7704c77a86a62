// SPDX-License-Identifier: Apache-2.0
// User-level failure mitigation: what the members of a communicator do when some of them have failed. The
// survivors can agree on a value, and on a new communicator without those who failed, whatever fails
// meanwhile. What has failed, and what that does to operations, is the engine's business
// (protocol/failures.hpp).
#pragma once

#include <vector>

#include "communicator/communicator.hpp"

namespace lisle {

namespace protocol {
class request;
}

/// The members that the calling rank knows to have failed, in the order in which it has noticed it.
[[nodiscard]] group_ref failed_members(const communicator &comm);
/// The same, but those only that it has acknowledged.
[[nodiscard]] group_ref acknowledged_failures(const communicator &comm);
/// Acknowledges the first `count` of failed_members(). Returns how many are acknowledged in all.
int acknowledge_failures(const communicator &comm, int count);

/// Ends the communicator for all members: operations on it end with MPIX_ERR_REVOKED, but for agreements.
/// Throws mpi_error (MPI_ERR_UNSUPPORTED_OPERATION) in a job whose ranks share one node's memory.
void revoke(const communicator &comm);
[[nodiscard]] bool is_revoked(const communicator &comm);

/// Agrees on the bitwise "and" of the survivors' flags. All members call this and start_shrinking() in the
/// same order. The outcome is MPIX_ERR_PROC_FAILED, at all of them, if a member has failed that not all have
/// acknowledged. Where there are two groups, each gets what the other one's members agree on.
/// @param flag is written at completion, whatever the outcome
/// Throws mpi_error (MPI_ERR_COMM) for a communicator of threads.
[[nodiscard]] protocol::request *start_agreeing(communicator &comm, int &flag);
/// Agrees on a communicator of the survivors, in their old order. @param made is written at completion;
/// MPI_COMM_NULL if all of an inter-communicator's other group have failed
[[nodiscard]] protocol::request *start_shrinking(communicator &comm, MPI_Comm &made);

/// Returns when all members of the world have come that have not failed: for MPI_Finalize.
void meet_survivors(communicator &world);

} // namespace lisle
