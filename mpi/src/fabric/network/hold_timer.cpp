// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/hold_timer.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <system_error>
#include <unistd.h>

#include "base/own_thread.hpp"

namespace lisle::fabric::network {

bool hold_timer::start() noexcept {
    constexpr itimerspec once{.it_interval = {}, .it_value = {0, 1'000'000}}; // in ns
    return (thread_.joinable() || begin()) && timerfd_settime(timer_.get(), 0, &once, nullptr) == 0;
}

bool hold_timer::begin() noexcept {
    timer_ = owned_descriptor{timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
    end_ = owned_descriptor{eventfd(0, EFD_CLOEXEC)};
    if (!timer_ || !end_) {
        return false;
    }
    try {
        thread_ = begin_own_thread([this] {
            std::array<pollfd, 2> events{pollfd{end_.get(), POLLIN, 0}, pollfd{timer_.get(), POLLIN, 0}};
            while (poll(events.data(), events.size(), -1) >= 0 || errno == EINTR) {
                if (events[0].revents != 0) {
                    return;
                }
                std::uint64_t times = 0;
                if (read(timer_.get(), &times, sizeof times) == sizeof times) {
                    run_();
                }
            }
        });
    } catch (const std::system_error &) {
        return false;
    } catch (const std::bad_alloc &) {
        return false;
    }
    return true;
}

void hold_timer::stop() noexcept {
    if (thread_.joinable()) {
        static_cast<void>(eventfd_write(end_.get(), 1));
        thread_.join();
    }
}

} // namespace lisle::fabric::network
