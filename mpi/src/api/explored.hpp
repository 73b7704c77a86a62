// SPDX-License-Identifier: Apache-2.0
// What probes, tests and waits for one of several requests do where choices are left open (lislerun
// --explore): they ask which of the answers that MPI allows they are to give.
#pragma once

#include <cstdint>

#include "communicator/communicator.hpp"
#include "exploration/chosen.hpp"
#include "exploration/recorded_matches.hpp"
#include "exploration/run.hpp"
#include "mpi.h"

namespace lisle::protocol {
class send_buffer;
}
namespace lisle::rma {
class window;
}

namespace lisle::api {

/// Null: nothing is left open.
[[nodiscard]] inline exploration::run *explored() noexcept {
    return exploration::run::of_process();
}

/// The run is as always, but what receives from any source take is written down.
[[nodiscard]] inline bool is_recorded() noexcept {
    return exploration::recorded_matches::of_process() != nullptr;
}
/// A receive has taken a message. @param wanted the source that it was posted with @param source the
/// message's @param posting its number
void note_source(std::uint64_t context, int wanted, int source, std::uint32_t posting);

/// The caller is about to start another job, or to meet one, which is not explored: the run ends then.
void refuse_other_jobs_if_explored();

/// What keeps the data of a send of the standard mode that is not to wait for its receive; null: it is, or
/// nothing is left open. To be asked once for each.
[[nodiscard]] protocol::send_buffer *explored_buffer(std::int64_t bytes);

/// The rank of the communicator whose message a probe finds; choice::nothing: there is none to find.
/// @param waits the probe does
[[nodiscard]] int explored_source(communicator &comm, int source, int tag, bool waits);

/// How many of several requests a call completes.
enum class completes { one, some, all };
/// Which request a call finds complete, by its place; choice::nothing: none; `count`: all that are complete.
/// @param waits the call returns nothing only if no request is active
[[nodiscard]] int explored_place(int count, const MPI_Request *requests, completes how_many, bool waits);

/// The caller is about to access memory of a window in a way whose outcome depends on which rank comes first.
void await_turn(const rma::window &win, int target);
/// The same before it gets the lock of that memory for itself, until end_turn().
void await_lock(const rma::window &win, int target);
/// The caller has given a lock back, perhaps one that it had with others.
void end_turn(const rma::window &win, int target);

} // namespace lisle::api
