// SPDX-License-Identifier: Apache-2.0
#include "abi/extension.hpp"

#include "runtime/job.hpp"
#include "runtime/rank.hpp"

namespace lisle::api {

void comm_shares_memory(communicator &comm, int rank, int *flag) {
    const int number = comm.point_to_point.peers->member(rank);
    *flag = this_rank().get_job().here(number) ? 1 : 0;
}

} // namespace lisle::api
