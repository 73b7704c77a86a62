// SPDX-License-Identifier: Apache-2.0
// Partitioned point-to-point communication [MPI-5.0 4.2].
#pragma once

#include "communicator/communicator.hpp"
#include "communicator/info.hpp"
#include "datatype/datatype.hpp"
#include "mpi.h"

namespace lisle::api {

void psend_init(const void *buf, int partitions, MPI_Count count, const datatype &type, int dest, int tag,
                communicator &comm, info *hints, MPI_Request *request);
/// @param dest the source: so the standard calls it
void precv_init(void *buf, int partitions, MPI_Count count, const datatype &type, int dest, int tag,
                communicator &comm, info *hints, MPI_Request *request);
void pready(int partition, MPI_Request request);
void pready_range(int partition_low, int partition_high, MPI_Request request);
void pready_list(int length, const int array_of_partitions[], MPI_Request request);
void parrived(MPI_Request request, int partition, int *flag);

} // namespace lisle::api
