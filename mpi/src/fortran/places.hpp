// SPDX-License-Identifier: Apache-2.0
// Constants that Fortran programs pass by their place: variables in common blocks, of which the procedures
// know the addresses [MPI-5.0 2.5.4]. They are linked into the program, as the procedures are, so that each
// rank of a process that loads the program once for each rank has its own.
#pragma once

#include "mpi.h"

#ifndef LISLE_OTHER_PLACES // of a face whose common blocks have several of them (faces)
extern "C" {
extern int mpi_lisle_bottom_, mpi_lisle_in_place_, mpi_lisle_automatic_;
extern int mpi_lisle_unweighted_, mpi_lisle_no_weights_, mpi_lisle_no_codes_;
extern char mpi_lisle_argv_, mpi_lisle_argvs_;
extern MPI_Status mpi_lisle_status_, mpi_lisle_statuses_;         ///< those of mpif.h and the module mpi
extern MPI_Status mpi_lisle_status_f08_, mpi_lisle_statuses_f08_; ///< those of the module mpi_f08
}
// One place for all modules; of another face the module mpi_f08 may have its own.
#define mpi_lisle_bottom_f08_ mpi_lisle_bottom_
#define mpi_lisle_in_place_f08_ mpi_lisle_in_place_
#define mpi_lisle_unweighted_f08_ mpi_lisle_unweighted_
#define mpi_lisle_no_weights_f08_ mpi_lisle_no_weights_
#define mpi_lisle_no_codes_f08_ mpi_lisle_no_codes_
#define mpi_lisle_argv_f08_ mpi_lisle_argv_
#define mpi_lisle_argvs_f08_ mpi_lisle_argvs_
#endif

namespace lisle::fortran {

/// A choice argument: MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC, or the address of data.
inline void *data_at(void *given) noexcept {
    if (given == &mpi_lisle_bottom_ || given == &mpi_lisle_bottom_f08_) {
        return MPI_BOTTOM;
    }
    if (given == &mpi_lisle_in_place_ || given == &mpi_lisle_in_place_f08_) {
        return MPI_IN_PLACE;
    }
    return given == &mpi_lisle_automatic_ ? MPI_BUFFER_AUTOMATIC : given;
}

inline MPI_Status *status_at(void *given) noexcept {
    return given == &mpi_lisle_status_ || given == &mpi_lisle_status_f08_ ? MPI_STATUS_IGNORE
                                                                          : static_cast<MPI_Status *>(given);
}

inline MPI_Status *statuses_at(void *given) noexcept {
    return given == &mpi_lisle_statuses_ || given == &mpi_lisle_statuses_f08_
               ? MPI_STATUSES_IGNORE
               : static_cast<MPI_Status *>(given);
}

inline int *weights_at(int *given) noexcept {
    if (given == &mpi_lisle_unweighted_ || given == &mpi_lisle_unweighted_f08_) {
        return MPI_UNWEIGHTED;
    }
    return given == &mpi_lisle_no_weights_ || given == &mpi_lisle_no_weights_f08_ ? MPI_WEIGHTS_EMPTY : given;
}

inline int *codes_at(int *given) noexcept {
    return given == &mpi_lisle_no_codes_ || given == &mpi_lisle_no_codes_f08_ ? MPI_ERRCODES_IGNORE : given;
}

inline bool has_no_arguments(const char *given) noexcept {
    return given == &mpi_lisle_argv_ || given == &mpi_lisle_argv_f08_;
}

inline bool has_no_lists(const char *given) noexcept {
    return given == &mpi_lisle_argvs_ || given == &mpi_lisle_argvs_f08_;
}

} // namespace lisle::fortran
