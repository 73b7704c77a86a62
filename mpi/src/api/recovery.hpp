// SPDX-License-Identifier: Apache-2.0
// User-level failure mitigation: data/extensions.json says what each call means.
#pragma once

#include "communicator/communicator.hpp"

namespace lisle::api {

void comm_revoke(communicator &comm);
void comm_is_revoked(communicator &comm, int *flag);
void comm_get_failed(communicator &comm, MPI_Group *failedgrp);
void comm_ack_failed(communicator &comm, int num_to_ack, int *num_acked);
void comm_failure_ack(communicator &comm);
void comm_failure_get_acked(communicator &comm, MPI_Group *failedgrp);
void comm_agree(communicator &comm, int *flag);
void comm_iagree(communicator &comm, int *flag, MPI_Request *request);
void comm_shrink(communicator &comm, MPI_Comm *newcomm);
void comm_ishrink(communicator &comm, MPI_Comm *newcomm, MPI_Request *request);

} // namespace lisle::api
