// SPDX-License-Identifier: Apache-2.0
// What a rank's threads block.
#pragma once

#include "launch/host/signals/rank_signals.hpp"

namespace lisle::host {

/// pthread_sigmask of a rank's thread. Returns an errno number.
int change_mask(int how, const sigset_t *set, sigset_t *former);

/// Notes that the calling thread of the rank has this mask now.
void note_mask(rank_signals &of, signal_bits mask);

} // namespace lisle::host
