// SPDX-License-Identifier: Apache-2.0
// The name of a fiber, which the kernel keeps for its worker's thread while it runs.
#pragma once

namespace lisle::host {

/// Names the calling fiber, by the first 15 characters as prctl does. Returns what prctl returns.
int name_fiber(const char *name);

} // namespace lisle::host
