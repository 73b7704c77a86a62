// SPDX-License-Identifier: Apache-2.0
// What programs of Open MPI's module mpi_f08 call, under the names that its compiler makes of them:
// procedures without an error argument, handles that are variables of the module, comparisons, functions of
// attributes.
#include "expect.hpp"

#include <mpi.h>

#include <cstdio>

extern "C" {
extern const int comm_world __asm__("__mpi_f08_types_MOD_mpi_comm_world");
extern const int comm_null __asm__("__mpi_f08_types_MOD_mpi_comm_null");
extern const int integer_type __asm__("__mpi_f08_types_MOD_mpi_integer");
extern const int int32_type __asm__("ompi_f08_mpi_int32");
extern const int sum __asm__("__mpi_f08_types_MOD_mpi_sum");
int are_equal(const int *, const int *) __asm__("__mpi_f08_types_MOD_ompi_comm_op_eq");
int differ(const int *, const int *) __asm__("__mpi_f08_types_MOD_ompi_comm_op_ne");
void dup_fn(int *, int *, MPI_Aint *, MPI_Aint *, MPI_Aint *, int *,
            int *) __asm__("__mpi_f08_callbacks_MOD_mpi_comm_dup_fn");
void null_delete_fn(int *, int *, MPI_Aint *, MPI_Aint *,
                    int *) __asm__("__mpi_f08_callbacks_MOD_mpi_comm_null_delete_fn");
extern int mpi_fortran_in_place_;
void mpi_init_f08_(int *), mpi_finalize_f08_(int *);
void mpi_comm_rank_f08_(const int *, int *, int *), mpi_comm_size_f08_(const int *, int *, int *);
void mpi_comm_dup_f08_(const int *, int *, int *), mpi_comm_free_f08_(int *, int *);
void mpi_comm_create_keyval_f08_(decltype(dup_fn) *, decltype(null_delete_fn) *, int *, MPI_Aint *, int *);
void mpi_comm_set_attr_f08_(const int *, int *, MPI_Aint *, int *);
void mpi_comm_get_attr_f08_(const int *, int *, MPI_Aint *, int *, int *);
void mpi_allreduce_f08_(void *, void *, int *, const int *, const int *, const int *, int *);
void mpi_op_create_f08_(void (*)(void *, void *, int *, int *), int *, int *, int *);
void mpi_op_free_f08_(int *, int *);
void mpi_sendrecv_f08_(void *, int *, const int *, int *, int *, void *, int *, const int *, int *, int *,
                       const int *, MPI_Status *, int *);
void mpi_sizeof_real64_r3_(const void *, int *, int *), mpi_sizeof_int32_scalar_(const void *, int *, int *);
}

namespace {

void add(void *in, void *inout, int *count, int *datatype) {
    expect(*datatype == integer_type, "an operation sees its datatype");
    for (int i = 0; i < *count; ++i) {
        static_cast<int *>(inout)[i] += static_cast<int *>(in)[i];
    }
}

void check_attributes(const int *comm) {
    int key = 0, flag = 0, copy = comm_null;
    MPI_Aint extra = 0, value = 4711, found = 0;
    mpi_comm_create_keyval_f08_(dup_fn, null_delete_fn, &key, &extra, nullptr);
    mpi_comm_set_attr_f08_(comm, &key, &value, nullptr);
    mpi_comm_dup_f08_(comm, &copy, nullptr);
    mpi_comm_get_attr_f08_(&copy, &key, &found, &flag, nullptr);
    expect(flag != 0 && found == value, "MPI_COMM_DUP_FN copies");
    mpi_comm_free_f08_(&copy, nullptr);
}

} // namespace

int main() {
    int rank = -1, size = 0, comm = comm_null, one = 1, yes = 1, op = 0, bytes = 0, error = -1;
    mpi_init_f08_(nullptr);
    mpi_comm_rank_f08_(&comm_world, &rank, nullptr);
    mpi_comm_size_f08_(&comm_world, &size, &error);
    expect(error == MPI_SUCCESS, "an error argument that is given");
    mpi_comm_dup_f08_(&comm_world, &comm, nullptr);
    expect(are_equal(&comm, &comm_world) == 0 && differ(&comm, &comm_null) != 0, "handles are compared");
    const int all = size * (size + 1) / 2;
    int total = rank + 1;
    mpi_allreduce_f08_(&mpi_fortran_in_place_, &total, &one, &integer_type, &sum, &comm, nullptr);
    expect(total == all, "a sum in place");
    mpi_op_create_f08_(add, &yes, &op, nullptr);
    total = rank + 1;
    mpi_allreduce_f08_(&mpi_fortran_in_place_, &total, &one, &integer_type, &op, &comm, nullptr);
    expect(total == all, "an operation of the program");
    mpi_op_free_f08_(&op, nullptr);
    int next = (rank + 1) % size, any = MPI_ANY_SOURCE, tag = 5, got = -1;
    MPI_Status status;
    mpi_sendrecv_f08_(&rank, &one, &int32_type, &next, &tag, &got, &one, &int32_type, &any, &tag, &comm,
                      &status, nullptr);
    expect(got == (rank + size - 1) % size && status.MPI_SOURCE == got && status.MPI_TAG == tag, "a status");
    check_attributes(&comm);
    mpi_sizeof_real64_r3_(nullptr, &bytes, nullptr);
    expect(bytes == 8, "MPI_Sizeof of an array");
    mpi_sizeof_int32_scalar_(nullptr, &bytes, &error);
    expect(bytes == 4 && error == MPI_SUCCESS, "MPI_Sizeof");
    mpi_comm_free_f08_(&comm, nullptr);
    expect(are_equal(&comm, &comm_null) != 0, "a freed communicator is MPI_COMM_NULL");
    mpi_finalize_f08_(nullptr);
    return mistakes;
}
