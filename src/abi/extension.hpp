// SPDX-License-Identifier: Apache-2.0
// What Lisle offers beyond the standard: data/extensions.json says what each call means.
#pragma once

#include "communicator/communicator.hpp"

namespace lisle::api {

void comm_shares_memory(communicator &comm, int rank, int *flag);

} // namespace lisle::api
