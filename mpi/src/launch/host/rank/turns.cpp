// SPDX-License-Identifier: Apache-2.0
#include "launch/host/rank/turns.hpp"

#include "library/host_interface.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>

namespace lisle::host {

namespace {

// Filled from the front, never changed afterwards. Release, acquire by fibers: they see what the function
// needs.
constinit std::array<std::atomic<void (*)()>, 16> all{};
std::mutex adding;

} // namespace

void take_turn() {
    for (const auto &each : all) {
        auto *const called = each.load(std::memory_order_acquire);
        if (called == nullptr) {
            return;
        }
        called();
    }
}

void call_at_turns(void (*called)()) {
    const std::scoped_lock lock(adding);
    for (auto &each : all) {
        auto *const known = each.load(std::memory_order_relaxed);
        if (known == called) {
            return;
        }
        if (known == nullptr) {
            each.store(called, std::memory_order_release);
            lisle_host_after_turns(&take_turn);
            return;
        }
    }
    std::abort(); // more functions than this file has room for: a fault of the host's
}

} // namespace lisle::host
