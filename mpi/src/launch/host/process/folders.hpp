// SPDX-License-Identifier: Apache-2.0
// The working directory and the umask of each rank. The kernel keeps them for a group of threads, which each
// rank's thread, or each worker, leaves at its start; fibers exchange them.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

namespace lisle::host {

/// The calling thread, a rank's or a worker, takes a working directory and umask of its own. Some sandboxes
/// forbid it; then ranks that share them may not change them.
void take_own_folder();

/// The calling thread is one that a fiber has started: it gets the fiber's working directory and umask.
void take_folder_of(hosted_rank &fiber);

} // namespace lisle::host
