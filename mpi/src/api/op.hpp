// SPDX-License-Identifier: Apache-2.0
// The calls that make, free and use reduction operations without communication.
#pragma once

#include "datatype/datatype.hpp"
#include "reduction/op.hpp"

namespace lisle::api {

void op_create(MPI_User_function *function, int commute, MPI_Op *operation);
void op_create_c(MPI_User_function_c *function, int commute, MPI_Op *operation);
void op_free(MPI_Op *operation);
void op_commutative(const op &operation, int *commute);
void reduce_local(const void *inbuf, void *inoutbuf, MPI_Count count, const datatype &type,
                  const op &operation);

} // namespace lisle::api
