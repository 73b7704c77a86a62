// SPDX-License-Identifier: Apache-2.0
// Taking and giving back the locks of members on the node, with waiting and waking.
#pragma once

#include "rma/window.hpp"

namespace lisle::rma {

/// Returns when the calling rank holds the lock. @pre on.is_near(target)
void take_lock(window &on, int target, lock_word::kind wanted);
void give_lock(window &on, int target, lock_word::kind held);

} // namespace lisle::rma
