// SPDX-License-Identifier: Apache-2.0
#include "fortran/places.hpp"

// Compilers align common blocks so that they may use vectors, the longest of which have 64 bytes.
alignas(64) int mpi_lisle_bottom_, mpi_lisle_in_place_, mpi_lisle_automatic_;
alignas(64) int mpi_lisle_unweighted_, mpi_lisle_no_weights_, mpi_lisle_no_codes_;
alignas(64) char mpi_lisle_argv_, mpi_lisle_argvs_;
alignas(64) MPI_Status mpi_lisle_status_, mpi_lisle_statuses_, mpi_lisle_status_f08_, mpi_lisle_statuses_f08_;

// For C programs that call Fortran's procedures.
MPI_Fint *MPI_F_STATUS_IGNORE = &mpi_lisle_status_.MPI_SOURCE;
MPI_Fint *MPI_F_STATUSES_IGNORE = &mpi_lisle_statuses_.MPI_SOURCE;
MPI_F08_status *MPI_F08_STATUS_IGNORE = &mpi_lisle_status_f08_;
MPI_F08_status *MPI_F08_STATUSES_IGNORE = &mpi_lisle_statuses_f08_;
