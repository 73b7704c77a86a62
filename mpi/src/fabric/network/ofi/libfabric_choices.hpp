// SPDX-License-Identifier: Apache-2.0
// What libfabric offers on this machine.
#pragma once

#include <vector>

#include "fabric/network/device/choice.hpp"

namespace lisle::fabric::network {

/// Each provider on each interface that it knows, if it has reliable ordered datagrams and copies between
/// memories. Loads libfabric. Throws mpi_error (MPI_ERR_OTHER) if there is none.
[[nodiscard]] std::vector<choice> libfabric_choices();

} // namespace lisle::fabric::network
