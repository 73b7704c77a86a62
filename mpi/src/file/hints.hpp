// SPDX-License-Identifier: Apache-2.0
// The info hints of a file [MPI-5.0 14.2.8]: those of the standard that Lisle uses, and those of ROMIO that
// apply. Others are ignored, as are invalid values: hints never change the results of a program.
#pragma once

#include "communicator/info.hpp"
#include "mpi.h"

namespace lisle::file {

/// When an optimisation is applied: always, never, or where it is likely to help.
enum class choice : int { automatic, enable, disable };

/// See the file's head. Plain data, so that ranks can agree on them.
struct hints {
    MPI_Count collective_buffer = 0;               ///< cb_buffer_size: of an aggregator, for a round
    MPI_Count aggregators = 0;                     ///< cb_nodes; 0: not said
    MPI_Count read_buffer = MPI_Count{4} << 20;    ///< ind_rd_buffer_size: of accesses that read gaps, too
    MPI_Count write_buffer = MPI_Count{512} << 10; ///< ind_wr_buffer_size
    choice collective_reads = choice::automatic;   ///< romio_cb_read
    choice collective_writes = choice::automatic;  ///< romio_cb_write
    choice sieved_reads = choice::automatic;       ///< romio_ds_read
    choice sieved_writes = choice::automatic;      ///< romio_ds_write

    /// Takes over the hints in `from`.
    void apply(const info &from);
    /// Adds all hints with their values.
    void describe(info &into) const;
};

/// Of a file that nobody says it of. @param of_one_kernel see open_file.hpp: what stays in a core's caches
[[nodiscard]] constexpr MPI_Count usual_collective_buffer(bool of_one_kernel) noexcept {
    return of_one_kernel ? MPI_Count{1} << 20 : MPI_Count{16} << 20;
}

} // namespace lisle::file
