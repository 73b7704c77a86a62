// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rma/window.hpp"

namespace lisle::rma {

/// Takes the shared locks of all targets. Those of other nodes are tried all at once, which takes one round
/// trip. Where one is not free, those behind it are given back before it is waited for: readers wait behind
/// writers that wait, so two ranks that took locks in different orders could each wait for what the other
/// holds. Throws, and holds none, if some cannot be had.
void take_all_locks(window &on);

} // namespace lisle::rma
