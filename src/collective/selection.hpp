// SPDX-License-Identifier: Apache-2.0
// Which algorithm a collective uses: by number of ranks, bytes, and what the operation allows. All ranks
// of a communicator must choose alike, so only values that they share count. Each choice can be forced
// by an environment variable, which all ranks must then have: LISLE_BCAST=linear. An algorithm that the
// call does not allow is not forced.
#pragma once

#include "mpi.h"

namespace lisle::collective {

enum class barrier_algorithm : unsigned char { dissemination, linear };
enum class bcast_algorithm : unsigned char { binomial, linear };
enum class gather_algorithm : unsigned char { binomial, linear };
enum class scatter_algorithm : unsigned char { binomial, linear };
enum class allgather_algorithm : unsigned char { bruck, recursive_doubling, ring };
enum class alltoall_algorithm : unsigned char { pairwise, linear };
enum class reduce_algorithm : unsigned char { binomial, linear };
enum class allreduce_algorithm : unsigned char { recursive_doubling, reduce_bcast };
enum class reduce_scatter_algorithm : unsigned char { by_root, pairwise };
enum class scan_algorithm : unsigned char { doubling, linear };

[[nodiscard]] barrier_algorithm choose_barrier();
[[nodiscard]] bcast_algorithm choose_bcast();
/// @param block bytes of one rank's contribution
[[nodiscard]] gather_algorithm choose_gather(int ranks, MPI_Count block);
[[nodiscard]] scatter_algorithm choose_scatter(int ranks, MPI_Count block);
/// @param total bytes of the result
[[nodiscard]] allgather_algorithm choose_allgather(int ranks, MPI_Count total);
[[nodiscard]] alltoall_algorithm choose_alltoall(int ranks);
[[nodiscard]] reduce_algorithm choose_reduce();
[[nodiscard]] allreduce_algorithm choose_allreduce(int ranks, MPI_Count bytes);
[[nodiscard]] reduce_scatter_algorithm choose_reduce_scatter(MPI_Count total, bool commutative);
[[nodiscard]] scan_algorithm choose_scan();

} // namespace lisle::collective
