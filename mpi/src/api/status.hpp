// SPDX-License-Identifier: Apache-2.0
// Reading and writing statuses [MPI-5.0 3.2.5, 5.1.12, 13.3].
#pragma once

#include "datatype/datatype.hpp"
#include "mpi.h"

namespace lisle::api {

void status_get_source(const MPI_Status *status, int *source);
void status_get_tag(const MPI_Status *status, int *tag);
void status_get_error(const MPI_Status *status, int *error);
void status_set_source(MPI_Status *status, int source);
void status_set_tag(MPI_Status *status, int tag);
void status_set_error(MPI_Status *status, int error);
void status_set_cancelled(MPI_Status *status, int flag);
void status_set_elements(MPI_Status *status, const datatype &type, MPI_Count count);
void status_set_elements_x(MPI_Status *status, const datatype &type, MPI_Count count);

/// MPI_UNDEFINED if the message was not a whole number of elements.
void get_count(const MPI_Status *status, const datatype &type, MPI_Count &count);
/// The number of basic elements; MPI_UNDEFINED if the last one is not whole.
void get_elements(const MPI_Status *status, const datatype &type, MPI_Count &count);
void get_elements_x(const MPI_Status *status, const datatype &type, MPI_Count *count);

} // namespace lisle::api
