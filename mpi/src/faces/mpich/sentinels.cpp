// SPDX-License-Identifier: Apache-2.0
// Constants that Fortran programs of MPICH's interface pass by their place: common blocks, which programs and
// libraries that use one define themselves. All agree on the first definition that the loader finds, so these
// are visible, too. Only the places count (fortran_names.h); the sizes are MPICH's.
#include "mpi.h"

extern "C" {
#pragma GCC visibility push(default)
int mpipriv1_[7], mpipriv2_[6], mpifcmb5_, mpifcmb9_;
char mpiprivc_[2];
int mpi_lisle_automatic_; // which no program of the interface knows

// Those of the module mpi_f08.
int MPIR_F08_MPI_BOTTOM, MPIR_F08_MPI_IN_PLACE;
int MPIR_F08_MPI_STATUS_IGNORE_OBJ[5], MPIR_F08_MPI_STATUSES_IGNORE_OBJ[5];
int f08_unweighted[1] __asm__("__mpi_f08_link_constants_MOD_mpi_unweighted");
int f08_no_weights[1] __asm__("__mpi_f08_link_constants_MOD_mpi_weights_empty");
int f08_no_codes[1] __asm__("__mpi_f08_link_constants_MOD_mpi_errcodes_ignore");
char f08_argv[1] __asm__("__mpi_f08_link_constants_MOD_mpi_argv_null");
char f08_argvs[1] __asm__("__mpi_f08_link_constants_MOD_mpi_argvs_null");

// For C programs that call Fortran's procedures.
int *MPI_F_STATUS_IGNORE = mpipriv1_ + 2;
int *MPI_F_STATUSES_IGNORE = mpipriv2_;
MPI_F08_status *MPI_F08_STATUS_IGNORE = reinterpret_cast<MPI_F08_status *>(MPIR_F08_MPI_STATUS_IGNORE_OBJ);
MPI_F08_status *MPI_F08_STATUSES_IGNORE =
    reinterpret_cast<MPI_F08_status *>(MPIR_F08_MPI_STATUSES_IGNORE_OBJ);
#pragma GCC visibility pop
}
