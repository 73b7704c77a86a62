/* SPDX-License-Identifier: Apache-2.0
 * What Open MPI calls the variables of fortran/places.hpp. Read before all else where the Fortran procedures
 * are compiled for its interface. */
#pragma once

#define mpi_lisle_bottom_ mpi_fortran_bottom_
#define mpi_lisle_in_place_ mpi_fortran_in_place_
#define mpi_lisle_unweighted_ mpi_fortran_unweighted_
#define mpi_lisle_no_weights_ mpi_fortran_weights_empty_
#define mpi_lisle_no_codes_ mpi_fortran_errcodes_ignore_
#define mpi_lisle_argv_ mpi_fortran_argv_null_
#define mpi_lisle_argvs_ mpi_fortran_argvs_null_
#define mpi_lisle_status_ mpi_fortran_status_ignore_
#define mpi_lisle_statuses_ mpi_fortran_statuses_ignore_
/* There is one kind of status in memory, whichever module a program uses. */
#define mpi_lisle_status_f08_ mpi_fortran_status_ignore_
#define mpi_lisle_statuses_f08_ mpi_fortran_statuses_ignore_
