// SPDX-License-Identifier: Apache-2.0
#include "api/op.hpp"

#include "base/error.hpp"

namespace lisle::api {

void op_create(MPI_User_function *function, int commute, MPI_Op *operation) {
    *operation = handle_of<MPI_Op>(*create_op(function, commute != 0));
}

void op_create_c(MPI_User_function_c *function, int commute, MPI_Op *operation) {
    *operation = handle_of<MPI_Op>(*create_op(function, commute != 0));
}

void op_free(MPI_Op *operation) {
    const op *const freed = find_op(*operation);
    if (freed->predefined()) {
        fail(MPI_ERR_OP, freed->name(), " is predefined and cannot be freed");
    }
    freed->release();
    *operation = MPI_OP_NULL;
}

void op_commutative(const op &operation, int *commute) {
    *commute = operation.commutative() ? 1 : 0;
}

void reduce_local(const void *inbuf, void *inoutbuf, MPI_Count count, const datatype &type,
                  const op &operation) {
    operation.check(type);
    if (count == 0) {
        return;
    }
    if (inbuf == MPI_IN_PLACE || inoutbuf == MPI_IN_PLACE) {
        fail(MPI_ERR_BUFFER, "MPI_IN_PLACE has no place in a local reduction");
    }
    if (inbuf == inoutbuf && inbuf != MPI_BOTTOM) {
        fail(MPI_ERR_BUFFER, "inbuf and inoutbuf are the same (", inbuf, ")");
    }
    if ((inbuf == MPI_BOTTOM || inoutbuf == MPI_BOTTOM) && type.predefined()) {
        fail(MPI_ERR_BUFFER, inbuf == MPI_BOTTOM ? "inbuf" : "inoutbuf", " is a null pointer, but there are ",
             count, " elements");
    }
    operation.apply(inbuf, inoutbuf, count, type);
}

} // namespace lisle::api
