// SPDX-License-Identifier: Apache-2.0
#include "protocol/progress/polled_fabrics.hpp"

#include <utility>

namespace lisle::protocol {

namespace {

// Of its time a rank that waits for something else spends at most one part in so many on a fabric that has
// nothing to say; and it reads the clock for that once in so many rounds.
constexpr std::int64_t idle_share = 64;
constexpr unsigned rounds_between_clocks = 64;

} // namespace

std::uint8_t polled_fabrics::expect(const fabric::fabric &from) noexcept {
    for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i].fabric == &from) {
            ++all_[i].expected;
            return static_cast<std::uint8_t>(i + 1);
        }
    }
    return 0;
}

std::uint8_t polled_fabrics::expect_anywhere() noexcept {
    for (one &each : all_) {
        ++each.expected;
    }
    return any;
}

void polled_fabrics::forget(std::uint8_t expected) noexcept {
    if (expected == any) {
        for (one &each : all_) {
            --each.expected;
        }
    } else if (expected != 0) {
        --all_[expected - 1U].expected;
    }
}

bool polled_fabrics::is_due(one &which, job_clock &clock, bool alone) noexcept {
    if (alone || which.expected != 0 || which.active) {
        return true;
    }
    if (which.passes != 0) {
        --which.passes;
        return false;
    }
    which.passes = rounds_between_clocks;
    return clock.nanoseconds() >= which.due;
}

int polled_fabrics::poll(int self, fabric::sink &into, int most, job_clock &clock, bool alone) {
    const bool all = std::exchange(ask_all_, false) || in_turn_;
    int taken = 0;
    for (one &each : all_) {
        if (each.by_thread || (!all && !is_due(each, clock, alone))) {
            continue;
        }
        const bool held_back = !alone && each.expected == 0;
        const std::int64_t before = held_back ? clock.nanoseconds() : 0;
        const int came = each.fabric->poll(self, into, most);
        each.active = came != 0;
        if (held_back && came == 0) {
            const std::int64_t after = clock.nanoseconds();
            each.due = after + (after - before) * idle_share;
            each.passes = rounds_between_clocks;
        }
        taken += came;
    }
    return taken;
}

} // namespace lisle::protocol
