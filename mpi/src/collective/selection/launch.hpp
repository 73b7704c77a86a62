// SPDX-License-Identifier: Apache-2.0
// The three forms in which MPI offers each collective. A caller builds the schedule and says here how it
// is to run; nothing else differs among the forms.
#pragma once

#include "collective/steps/schedule.hpp"
#include "protocol/message/request.hpp"

namespace lisle::collective {

/// Runs to the end, where it is not there already. Throws the first error that a message ended with.
void run(communicator &comm, schedule plan);
/// Begins; the request moves whenever the rank is in the library. The caller owns it, as for start_send.
/// @param plan here and below: left alone if it throws for lack of memory, and then nothing has been done
[[nodiscard]] protocol::request *start(communicator &comm, schedule &&plan);
/// An inactive request that MPI_Start begins, any number of times.
[[nodiscard]] protocol::request *prepare(communicator &comm, schedule &&plan);

} // namespace lisle::collective
