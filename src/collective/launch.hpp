// SPDX-License-Identifier: Apache-2.0
// The three forms in which MPI offers each collective. A caller builds the schedule and says here how it
// is to run; nothing else differs among the forms.
#pragma once

#include "collective/schedule.hpp"

namespace lisle::collective {

/// Runs to the end. Throws the first error that a message ended with.
void run(communicator &comm, schedule plan);
/// Begins; the request moves whenever the rank is in the library.
[[nodiscard]] MPI_Request start(communicator &comm, schedule plan);
/// An inactive request that MPI_Start begins, any number of times.
[[nodiscard]] MPI_Request prepare(communicator &comm, schedule plan);

} // namespace lisle::collective
