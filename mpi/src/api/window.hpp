// SPDX-License-Identifier: Apache-2.0
// The calls of MPI that make windows and tell of them, and those that synchronise.
#pragma once

#include "communicator/communicator.hpp"
#include "communicator/info.hpp"
#include "mpi.h"
#include "rma/window.hpp"

namespace lisle::api {

// window.cpp
void win_allocate(MPI_Aint size, MPI_Count disp_unit, info *info, communicator &comm, void *baseptr,
                  MPI_Win *win);
void win_allocate_shared(MPI_Aint size, MPI_Count disp_unit, info *info, communicator &comm, void *baseptr,
                         MPI_Win *win);
void win_attach(rma::window &win, void *base, MPI_Aint size);
void win_create(void *base, MPI_Aint size, MPI_Count disp_unit, info *info, communicator &comm, MPI_Win *win);
void win_create_dynamic(info *info, communicator &comm, MPI_Win *win);
void win_detach(rma::window &win, const void *base);
void win_free(MPI_Win *win);
void win_get_group(rma::window &win, MPI_Group *group);
void win_get_info(rma::window &win, MPI_Info *info_used);
void win_get_name(rma::window *win, char *win_name, int *resultlen);
void win_set_info(rma::window &win, info *info);
void win_set_name(rma::window &win, const char *win_name);
void win_shared_query(rma::window &win, int rank, MPI_Aint *size, MPI_Count &disp_unit, void *baseptr);

// window_synchronization.cpp
void win_complete(rma::window &win);
void win_fence(int assertion, rma::window &win);
void win_flush(int rank, rma::window &win);
void win_flush_all(rma::window &win);
void win_flush_local(int rank, rma::window &win);
void win_flush_local_all(rma::window &win);
void win_lock(int lock_type, int rank, int assertion, rma::window &win);
void win_lock_all(int assertion, rma::window &win);
void win_post(const group &group, int assertion, rma::window &win);
void win_start(const group &group, int assertion, rma::window &win);
void win_sync(rma::window &win);
void win_test(rma::window &win, int *flag);
void win_unlock(int rank, rma::window &win);
void win_unlock_all(rma::window &win);
void win_wait(rma::window &win);

} // namespace lisle::api
