// SPDX-License-Identifier: Apache-2.0
// How the launcher hands preloaded libraries over to the host of thread and fiber ranks.
#pragma once

namespace lisle::launch {

/// Of what LD_PRELOAD named, the libraries of which each rank gets a copy; the host reads it. Set by the
/// launcher alone.
inline constexpr const char *rank_preload_variable = "LISLE_RANK_PRELOAD";

} // namespace lisle::launch
