// SPDX-License-Identifier: Apache-2.0
// A link with delay and loss for the tests' hosts, since not every kernel has one (netem): carries Ethernet
// frames between two TAP devices, holds each back for a time, and drops some. One device is made where the
// program runs, the other one in a host's network namespace. Usage: poor_link MILLISECONDS PERCENT OUTER
// NAMESPACE INNER [closed]. A closed one is a firewall: nobody begins a connection of TCP with the host. Says
// "ready" when both are there, and runs until it is killed; the devices go with it.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <random>
#include <sched.h>
#include <span>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

[[noreturn]] void stop(const std::string &what) {
    std::fprintf(stderr, "poor_link: %s: %s\n", what.c_str(), std::strerror(errno));
    std::exit(EXIT_FAILURE);
}

int make_device(const std::string &name) {
    const int made = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    ifreq wanted{};
    wanted.ifr_flags = IFF_TAP | IFF_NO_PI;
    name.copy(wanted.ifr_name, IFNAMSIZ - 1);
    if (made < 0 || ioctl(made, TUNSETIFF, &wanted) != 0) {
        stop("cannot make the device " + name);
    }
    return made;
}

/// Whether a frame begins a connection of TCP over IPv4.
bool is_call(std::span<const char> frame) {
    const auto at = [&](std::size_t place) {
        return place < frame.size() ? static_cast<unsigned char>(frame[place]) : 0U;
    };
    constexpr std::size_t packet = 14; // what Ethernet puts before it
    constexpr unsigned synchronises = 0x02, acknowledges = 0x10, tcp = 6;
    const bool is_tcp = at(packet - 2) == 8 && at(packet - 1) == 0 && at(packet + 9) == tcp;
    const unsigned flags = at(packet + 4 * (at(packet) & 0xfU) + 13);
    return is_tcp && (flags & (synchronises | acknowledges)) == synchronises;
}

/// Frames on their way in one direction.
class line {
  public:
    line(int from, int to, std::chrono::microseconds delay, double loss, bool closed)
        : from_{from}, to_{to}, delay_{delay}, closed_{closed}, is_lost_{loss}, chance_{static_cast<unsigned>(
                                                                                    from)} {}

    void take_all() {
        std::array<char, 70000> frame; // not zeroed: read() says how much of it counts
        for (ssize_t length = 0; (length = read(from_, frame.data(), frame.size())) > 0;) {
            const std::span took{frame.data(), static_cast<std::size_t>(length)};
            if (!is_lost_(chance_) && !(closed_ && is_call(took)) &&
                on_the_way_.size() < most) { // as of a router: what finds no room is lost
                on_the_way_.push_back({clock_type::now() + delay_, {frame.data(), frame.data() + length}});
            }
        }
    }
    void deliver_due() {
        for (const auto now = clock_type::now(); !on_the_way_.empty() && on_the_way_.front().due <= now;) {
            const std::vector<char> &frame = on_the_way_.front().bytes;
            static_cast<void>(write(to_, frame.data(), frame.size())); // a device that is down takes nothing
            on_the_way_.pop_front();
        }
    }
    /// Time until something is due; negative: nothing is on the way.
    [[nodiscard]] std::chrono::nanoseconds until_due() const {
        return on_the_way_.empty()
                   ? std::chrono::nanoseconds{-1}
                   : std::max(std::chrono::nanoseconds{0}, on_the_way_.front().due - clock_type::now());
    }
    [[nodiscard]] int from() const noexcept { return from_; }

  private:
    static constexpr std::size_t most = 20000;
    struct held {
        clock_type::time_point due;
        std::vector<char> bytes;
    };
    int from_, to_;
    std::chrono::microseconds delay_;
    bool closed_; ///< lets no connection begin
    std::bernoulli_distribution is_lost_;
    std::mt19937 chance_;
    std::deque<held> on_the_way_;
};

} // namespace

int main(int argc, char **argv) {
    if (argc != 6 && argc != 7) {
        std::fprintf(stderr, "usage: poor_link MILLISECONDS PERCENT OUTER NAMESPACE INNER [closed]\n");
        return EXIT_FAILURE;
    }
    const std::chrono::microseconds delay{std::lround(std::atof(argv[1]) * 1000)};
    const double loss = std::atof(argv[2]) / 100;
    const int outer = make_device(argv[3]);
    const int there = open(("/run/netns/" + std::string{argv[4]}).c_str(), O_RDONLY | O_CLOEXEC);
    if (there < 0 || setns(there, CLONE_NEWNET) != 0) {
        stop("cannot enter the network namespace " + std::string{argv[4]});
    }
    const int inner = make_device(argv[5]);
    std::puts("ready");
    std::fflush(stdout);
    std::array<line, 2> lines{line{outer, inner, delay, loss, argc == 7},
                              line{inner, outer, delay, loss, false}};
    for (;;) {
        std::chrono::nanoseconds wait{-1};
        for (const line &each : lines) {
            if (const auto due = each.until_due(); due.count() >= 0 && (wait.count() < 0 || due < wait)) {
                wait = due;
            }
        }
        std::array<pollfd, 2> readable{pollfd{outer, POLLIN, 0}, pollfd{inner, POLLIN, 0}};
        const timespec limit{wait.count() / 1'000'000'000, wait.count() % 1'000'000'000};
        ppoll(readable.data(), readable.size(), wait.count() >= 0 ? &limit : nullptr, nullptr);
        for (line &each : lines) {
            each.take_all();
            each.deliver_due();
        }
    }
}
