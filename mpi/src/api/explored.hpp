// SPDX-License-Identifier: Apache-2.0
// What probes, tests and waits for one of several requests do where choices are left open (lislerun
// --explore): they ask which of the answers that MPI allows they are to give.
#pragma once

#include "communicator/communicator.hpp"
#include "exploration/run.hpp"
#include "mpi.h"

namespace lisle::protocol {
class send_buffer;
}

namespace lisle::api {

/// Null: nothing is left open.
[[nodiscard]] inline exploration::run *explored() noexcept {
    return exploration::run::of_process();
}

/// Where the run's sends of the standard mode do not wait: what keeps their data; else null.
[[nodiscard]] protocol::send_buffer *explored_buffer();

/// The rank of the communicator whose message a probe finds; choice::nothing: there is none to find.
/// @param waits the probe does
[[nodiscard]] int explored_source(communicator &comm, int source, int tag, bool waits);

/// How many of several requests a call completes.
enum class completes { one, some, all };
/// Which request a call finds complete, by its place; choice::nothing: none; `count`: all that are complete.
/// @param waits the call returns nothing only if no request is active
[[nodiscard]] int explored_place(int count, const MPI_Request *requests, completes how_many, bool waits);

} // namespace lisle::api
