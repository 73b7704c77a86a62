// SPDX-License-Identifier: Apache-2.0
#include "protocol/core/polled_fabrics.hpp"

#include <utility>

namespace lisle::protocol {

namespace {

// Of its time a rank that waits for something else spends at most one part in so many on a fabric that has
// nothing to say, and on one that it waits for while others bring something.
constexpr std::int64_t idle_share = 64;
constexpr std::int64_t pending_share = 8;
// It reads the clock for that once in so many rounds, or packets that others bring: both take time.
constexpr unsigned rounds_between_clocks = 64;
constexpr unsigned rounds_while_pending = 8;
// So many rounds without a packet and nothing comes any more.
constexpr unsigned rounds_of_business = 256;

} // namespace

std::uint8_t polled_fabrics::expect(const fabric::packet_source &from) noexcept {
    for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i].fabric == &from && i + 1 < any) {
            ++all_[i].expected;
            return static_cast<std::uint8_t>(i + 1);
        }
    }
    return 0; // an ordinary share of the time is enough for those behind
}

std::uint8_t polled_fabrics::expect_anywhere() noexcept {
    ++expected_anywhere_;
    for (one &each : all_) {
        ++each.expected;
    }
    return any;
}

void polled_fabrics::forget(std::uint8_t expected) noexcept {
    if (expected == any) {
        --expected_anywhere_;
        for (one &each : all_) {
            --each.expected;
        }
    } else if (expected != 0) {
        --all_[expected - 1U].expected;
    }
}

std::int64_t polled_fabrics::one::share(bool busy) const noexcept {
    return expected == 0 ? idle_share : busy ? pending_share : 0;
}

bool polled_fabrics::is_due(one &which, job_clock &clock, bool alone, unsigned before) noexcept {
    const std::int64_t share = which.share(busy_rounds_ != 0);
    if (alone || which.active || share == 0) {
        return true;
    }
    if (which.passes > before) {
        which.passes -= 1 + before;
        return false;
    }
    which.passes = which.expected == 0 ? rounds_between_clocks : rounds_while_pending;
    return clock.nanoseconds() - which.asked >= which.cost * share;
}

// One after the other, until one of them has brought something: the caller looks at that first. The next
// round begins with the one behind it.
int polled_fabrics::poll_in_turn(int self, fabric::sink &into, int most, int before) {
    if (before != 0 && turn_ == all_.size()) {
        turn_ = 0;
        return 0;
    }
    int taken = 0;
    for (turn_ %= all_.size(); turn_ != all_.size() && taken == 0; ++turn_) {
        if (!all_[turn_].by_thread && all_[turn_].fabric != nullptr) {
            taken = all_[turn_].fabric->poll(self, into, most);
        }
    }
    return taken;
}

int polled_fabrics::poll(int self, fabric::sink &into, int most, job_clock &clock, bool alone, int before) {
    if (in_turn_) {
        return poll_in_turn(self, into, most, before);
    }
    const bool all = std::exchange(ask_all_, false);
    busy_rounds_ = before != 0 ? rounds_of_business : busy_rounds_ - (busy_rounds_ != 0 ? 1 : 0);
    int taken = 0;
    for (one &each : all_) {
        if (each.fabric == nullptr || each.by_thread ||
            (!all && !is_due(each, clock, alone, static_cast<unsigned>(before)))) {
            continue;
        }
        const bool held_back = !alone && each.share(busy_rounds_ != 0) != 0;
        const std::int64_t start = held_back ? clock.nanoseconds() : 0;
        const int came = each.fabric->poll(self, into, most);
        each.active = came != 0;
        if (held_back && came == 0) {
            each.asked = clock.nanoseconds();
            each.cost = each.asked - start;
            each.passes = each.expected == 0 ? rounds_between_clocks : rounds_while_pending;
        }
        taken += came;
    }
    return taken;
}

} // namespace lisle::protocol
