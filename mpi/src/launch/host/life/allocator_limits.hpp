// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lisle::host {

/// Where address space is limited (ulimit -v): keeps what the allocator reserves for its threads within a
/// part of it. To be called before there are threads.
void limit_arenas() noexcept;

} // namespace lisle::host
