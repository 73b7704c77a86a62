// SPDX-License-Identifier: Apache-2.0
// Constants that Fortran programs of Open MPI's interface pass by their place: common blocks, which programs
// and libraries that use one define themselves. All agree on the first definition that the loader finds, so
// these are visible, too. Only the places count; the sizes are Open MPI's.
extern "C" {
#pragma GCC visibility push(default)
int mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_errcodes_ignore_;
int mpi_fortran_unweighted_, mpi_fortran_weights_empty_;
char mpi_fortran_argv_null_, mpi_fortran_argvs_null_;
int mpi_fortran_status_ignore_[2], mpi_fortran_statuses_ignore_[2];
int mpi_lisle_automatic_; // which no program of the interface knows

// For C programs that call Fortran's procedures.
int *MPI_F_STATUS_IGNORE = mpi_fortran_status_ignore_;
int *MPI_F_STATUSES_IGNORE = mpi_fortran_statuses_ignore_;
#pragma GCC visibility pop
}
