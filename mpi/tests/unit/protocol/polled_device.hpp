// SPDX-License-Identifier: Apache-2.0
// What tests of polling ask instead of a network, and a time of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "execution/clock.hpp"
#include "fabric/fabric.hpp"

/// Reaches nobody. What happens when it is asked is a test's.
class device final : public lisle::fabric::fabric {
  public:
    /// @param ask returns the number of packets that have come
    explicit device(std::function<int()> ask) : ask_{std::move(ask)} {}
    [[nodiscard]] const char *name() const noexcept override { return "device"; }
    [[nodiscard]] bool reaches(int) const noexcept override { return false; }
    [[nodiscard]] lisle::fabric::route_limits limits(int) const noexcept override {
        return {.largest_payload = 1024};
    }
    [[nodiscard]] lisle::fabric::claim_result try_claim(int, int, std::size_t, bool,
                                                        lisle::fabric::packet_slot &) noexcept override {
        return lisle::fabric::claim_result::full;
    }
    void publish(int, lisle::fabric::packet_slot &) noexcept override {}
    int poll(int, lisle::fabric::sink &, int) override { return ask_(); }
    [[nodiscard]] bool arm(int) noexcept override { return true; }
    void set_congested(int, bool) noexcept override {}
    [[nodiscard]] lisle::fabric::waking wakes(int) const noexcept override {
        return {.how = lisle::fabric::waking::by::polling, .nanoseconds = 1'000'000};
    }

  private:
    std::function<int()> ask_;
};

class simulated_clock final : public lisle::job_clock {
  public:
    [[nodiscard]] std::int64_t nanoseconds() noexcept override { return now; }
    std::int64_t now = 0;
};

class nobody final : public lisle::fabric::sink {
    void arrived(int, const lisle::fabric::packet_header &, std::span<const std::byte>) override {}
    void peer_failed(int) override {}
};
