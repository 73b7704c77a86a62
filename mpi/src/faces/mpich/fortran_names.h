/* SPDX-License-Identifier: Apache-2.0
 * Where the variables of fortran/places.hpp lie in MPICH's common blocks. Read before all else where the
 * Fortran procedures are compiled for its interface. */
#pragma once

extern "C" {
extern int mpipriv1_[7], mpipriv2_[6], mpifcmb5_, mpifcmb9_, mpi_lisle_automatic_;
extern char mpiprivc_[2];
extern int MPIR_F08_MPI_STATUS_IGNORE_OBJ[5], MPIR_F08_MPI_STATUSES_IGNORE_OBJ[5];
extern int MPIR_F08_MPI_BOTTOM, MPIR_F08_MPI_IN_PLACE;
/* Variables of the module mpi_f08, as gfortran names them. */
extern int f08_unweighted __asm__("__mpi_f08_link_constants_MOD_mpi_unweighted");
extern int f08_no_weights __asm__("__mpi_f08_link_constants_MOD_mpi_weights_empty");
extern int f08_no_codes __asm__("__mpi_f08_link_constants_MOD_mpi_errcodes_ignore");
extern char f08_argv __asm__("__mpi_f08_link_constants_MOD_mpi_argv_null");
extern char f08_argvs __asm__("__mpi_f08_link_constants_MOD_mpi_argvs_null");
}

#define LISLE_OTHER_PLACES
#define LISLE_FORTRAN_CONSTANTS /* of mpi.h */
#define mpi_lisle_bottom_ mpipriv1_[0]
#define mpi_lisle_in_place_ mpipriv1_[1]
#define mpi_lisle_status_ mpipriv1_[2]
#define mpi_lisle_statuses_ mpipriv2_[0]
#define mpi_lisle_no_codes_ mpipriv2_[5]
#define mpi_lisle_argvs_ mpiprivc_[0]
#define mpi_lisle_argv_ mpiprivc_[1]
#define mpi_lisle_unweighted_ mpifcmb5_
#define mpi_lisle_no_weights_ mpifcmb9_
#define mpi_lisle_bottom_f08_ MPIR_F08_MPI_BOTTOM
#define mpi_lisle_in_place_f08_ MPIR_F08_MPI_IN_PLACE
#define mpi_lisle_unweighted_f08_ f08_unweighted
#define mpi_lisle_no_weights_f08_ f08_no_weights
#define mpi_lisle_no_codes_f08_ f08_no_codes
#define mpi_lisle_argv_f08_ f08_argv
#define mpi_lisle_argvs_f08_ f08_argvs
#define mpi_lisle_status_f08_ MPIR_F08_MPI_STATUS_IGNORE_OBJ[0]
#define mpi_lisle_statuses_f08_ MPIR_F08_MPI_STATUSES_IGNORE_OBJ[0]
