// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/settings.hpp"
#include "fabric/packet_source.hpp"

namespace lisle::protocol {

/// Whether a Receiver thread (device_threads.hpp) takes what this fabric brings to a rank, and callers do
/// not.
[[nodiscard]] inline bool is_received_by_thread(const fabric::packet_source &from, int self) noexcept {
    return chosen_progress() == progress_manner::threads &&
           from.wakes(self).how == fabric::waking::by::descriptor;
}

} // namespace lisle::protocol
