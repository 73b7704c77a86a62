// SPDX-License-Identifier: Apache-2.0
#include "api/recovery.hpp"

#include <climits>

#include "api/request.hpp"
#include "communicator/predefined.hpp"
#include "communicator/recovery.hpp"
#include "protocol/point_to_point.hpp"

namespace lisle::api {

namespace {

/// Waits for an agreement, which belongs to the caller, and throws what it ended with.
void conclude(protocol::request &agreement, communicator &comm) {
    protocol::wait(agreement);
    agreement.finish();
    const protocol::outcome ended = agreement.result;
    agreement.free();
    abi::throw_if_failed(ended, &comm);
}

} // namespace

void comm_revoke(communicator &comm) {
    revoke(comm);
}

void comm_is_revoked(communicator &comm, int *flag) {
    *flag = is_revoked(comm) ? 1 : 0;
}

void comm_get_failed(communicator &comm, MPI_Group *failedgrp) {
    *failedgrp = give_handle(failed_members(comm));
}

void comm_ack_failed(communicator &comm, int num_to_ack, int *num_acked) {
    *num_acked = acknowledge_failures(comm, num_to_ack);
}

void comm_failure_ack(communicator &comm) {
    acknowledge_failures(comm, INT_MAX);
}

void comm_failure_get_acked(communicator &comm, MPI_Group *failedgrp) {
    *failedgrp = give_handle(acknowledged_failures(comm));
}

void comm_agree(communicator &comm, int *flag) {
    conclude(*start_agreeing(comm, *flag), comm);
}

void comm_iagree(communicator &comm, int *flag, MPI_Request *request) {
    *request = abi::give_request(start_agreeing(comm, *flag), &comm);
}

void comm_shrink(communicator &comm, MPI_Comm *newcomm) {
    *newcomm = MPI_COMM_NULL;
    conclude(*start_shrinking(comm, *newcomm), comm);
}

void comm_ishrink(communicator &comm, MPI_Comm *newcomm, MPI_Request *request) {
    *newcomm = MPI_COMM_NULL;
    *request = abi::give_request(start_shrinking(comm, *newcomm), &comm);
}

} // namespace lisle::api
