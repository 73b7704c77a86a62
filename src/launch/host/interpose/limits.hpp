// SPDX-License-Identifier: Apache-2.0
// Whether the kernel's limits leave room for so many images, found out before the first is loaded.
#pragma once

#include "launch/host/image/closure.hpp"

namespace lisle::host {

/// Throws `refusal` with need and limit if the images and stacks would need more mappings than the process
/// may have.
void check_mappings(const closure &unit, int ranks);

} // namespace lisle::host
