// SPDX-License-Identifier: Apache-2.0
// The communication calls on windows [MPI-5.0 12.3].
#pragma once

#include "datatype/datatype.hpp"
#include "mpi.h"
#include "reduction/op.hpp"
#include "rma/window.hpp"

namespace lisle::api {

void accumulate(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype,
                int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                const datatype &target_datatype, const op &op, rma::window &win);
void compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
                      const datatype &datatype, int target_rank, MPI_Aint target_disp, rma::window &win);
void fetch_and_op(const void *origin_addr, void *result_addr, const datatype &datatype, int target_rank,
                  MPI_Aint target_disp, const op &op, rma::window &win);
void get(void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, const datatype &target_datatype, rma::window &win);
void get_accumulate(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype,
                    void *result_addr, MPI_Count result_count, const datatype &result_datatype,
                    int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                    const datatype &target_datatype, const op &op, rma::window &win);
void put(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, const datatype &target_datatype, rma::window &win);
void raccumulate(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype,
                 int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                 const datatype &target_datatype, const op &op, rma::window &win, MPI_Request *request);
void rget(void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype, int target_rank,
          MPI_Aint target_disp, MPI_Count target_count, const datatype &target_datatype, rma::window &win,
          MPI_Request *request);
void rget_accumulate(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype,
                     void *result_addr, MPI_Count result_count, const datatype &result_datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                     const datatype &target_datatype, const op &op, rma::window &win, MPI_Request *request);
void rput(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype, int target_rank,
          MPI_Aint target_disp, MPI_Count target_count, const datatype &target_datatype, rma::window &win,
          MPI_Request *request);

} // namespace lisle::api
