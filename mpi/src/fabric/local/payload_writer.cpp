// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/payload_writer.hpp"

#include <algorithm>
#include <chrono>

#include "base/copy_bytes.hpp"
#include "fabric/local/mailbox_layout.hpp"

namespace lisle::fabric {

namespace {

// One payload in so many is measured; where the receiver is far, measuring costs more than a look at the
// clock.
constexpr std::uint32_t between_measures_near = 8, between_measures_far = 32;

} // namespace

void payload_writer::write(std::byte *to, const std::byte *from, std::size_t bytes) noexcept {
    if (bytes < least_bytes) {
        copy_bytes(to, from, bytes);
        return;
    }
    const bool past_caches = far();
    const std::uint32_t before = written_.load(std::memory_order_relaxed);
    written_.store(before + 1, std::memory_order_relaxed);
    if ((before + 1) % (past_caches ? between_measures_far : between_measures_near) == 0) {
        const auto begin = std::chrono::steady_clock::now();
        copy_bytes(to, from, bytes);
        note(std::chrono::duration<double, std::nano>{std::chrono::steady_clock::now() - begin}.count(),
             bytes);
    } else if (past_caches) {
        copy_past_caches(to, from, bytes);
    } else {
        copy_bytes(to, from, bytes);
    }
}

void payload_writer::note(double nanoseconds, std::size_t bytes) noexcept {
    const float cost = static_cast<float>(nanoseconds * line_bytes / static_cast<double>(bytes));
    const float known = line_cost_.load(std::memory_order_relaxed);
    // A writer that lost its core meanwhile says nothing about lines: one sample may at most double the cost.
    line_cost_.store(known + (std::min(cost, 2 * known) - known) / 4, std::memory_order_relaxed);
}

} // namespace lisle::fabric
