// SPDX-License-Identifier: Apache-2.0
// The synchronisation calls [MPI-5.0 12.5]. Fences are barriers. Post, start, complete and wait are messages
// without data on the window's communicator, one from each target to each of its origins and one back. Locks
// are words in the table of members (lock_word.hpp), which need no help from the target.
#pragma once

#include "rma/window.hpp"

namespace lisle::rma {

void fence(window &on, int assertion);

/// @param origins,targets ranks of the window, without repetition
void post(window &on, const std::vector<int> &origins, int assertion);
void start(window &on, std::vector<int> targets, int assertion);
void complete(window &on);
void wait(window &on);
[[nodiscard]] bool test(window &on);

void lock(window &on, int target, lock_word::kind wanted, int assertion);
void unlock(window &on, int target);
void lock_all(window &on, int assertion);
void unlock_all(window &on);

/// Returns when what the rank has asked of the target is done there. The same for all targets: -1.
void flush(window &on, int target);
/// Returns when the rank may use its own buffers again.
void flush_local(window &on, int target);
/// Makes stores by others to the own memory visible, and the other way round. A program may call this, or
/// flush, again and again until another rank has stored something: so now and then the rank serves requests
/// and lets others run.
void sync(window &on);

/// Returns when all members have called it: MPI_Barrier on the window's communicator.
void meet(communicator &members);

/// The rank is in MPI no more: windows that it has not freed are accessed no more.
void leave(const lisle::rank &ended);

} // namespace lisle::rma
