// SPDX-License-Identifier: Apache-2.0
// Taking and giving back the locks of members on the node, with waiting and waking.
#pragma once

#include <optional>

#include "rma/state/window_members.hpp"

namespace lisle::rma {

/// Returns when the calling rank holds the lock. Throws MPIX_ERR_PROC_FAILED if it is held by a rank that has
/// failed, and so cannot be had. @pre members.is_near(target)
void take_lock(const window_members &members, int target, lock_word::kind wanted);
/// The same without waiting. False: it is not free.
[[nodiscard]] bool try_take_lock(const window_members &members, int target, lock_word::kind wanted);
/// Returns true if others waited for it; they have been woken.
bool give_lock(const window_members &members, int target, lock_word::kind held);
/// Gives the lock of the calling rank's part back for a rank of another node. @param awaited the kind for
/// which the calling rank waits for such ranks
void give_lock_of_far(const window_members &members, lock_word::kind held,
                      std::optional<lock_word::kind> awaited);

/// A rank that held the lock of the calling rank's part has failed: all that wait for it are to know.
void break_lock(const window_members &members, int holder);
/// Which rank of the window has failed with the target's lock in its hands, so that it cannot be had in this
/// way; -1: none.
[[nodiscard]] int lock_breaker(const window_members &members, int target, lock_word::kind wanted);
/// A rank that has registered as waiting for the lock gives up; readers whom that lets in are woken.
void stop_waiting(const window_members &members, int target, lock_word::kind wanted);

} // namespace lisle::rma
