// SPDX-License-Identifier: Apache-2.0
#include "tcp/reception.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utility>

#include "tcp/connecting.hpp"

namespace lisle::tcp {

reception::reception(const socket_address &where, greeter as, std::function<void(const char *)> refused,
                     std::chrono::milliseconds patience)
    : as_{as}, patience_{patience}, refused_{std::move(refused)}, listener_{listen_at(where)} {
    if (!listener_) {
        return;
    }
    events_ = owned_descriptor{epoll_create1(EPOLL_CLOEXEC)};
    timer_ = owned_descriptor{timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
    if (!watch(listener_.get(), at_listener) || !watch(timer_.get(), at_timer)) {
        const int why = errno;
        listener_.reset();
        errno = why;
        return;
    }
    const socket_address found = end_of(listener_.get(), getsockname);
    if (as_.listens.exists()) {
        as_.listens.set_port(
            found.port()); // it listens at all of this machine's addresses, and is known by one
    } else {
        as_.listens = found;
    }
}

void reception::close() noexcept {
    unproven_.clear();
    proven_.clear();
    timer_.reset();
    events_.reset();
    listener_.reset();
}

std::optional<reception::caller> reception::next() {
    hear_all();
    while (!proven_.empty()) {
        caller found = std::move(proven_.front());
        proven_.pop_front();
        if (!has_ended(found.socket.get())) {
            return found;
        }
    }
    return std::nullopt;
}

void reception::say_to_unproven(greeting::word what) noexcept {
    for (auto &[number, each] : unproven_) {
        static_cast<void>(each.who.greeted.say(each.who.socket.get(), what)); // to one that may be gone
    }
}

bool reception::watch(int descriptor, std::uint64_t number) noexcept {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = number;
    return epoll_ctl(events_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void reception::hear_all() {
    std::array<epoll_event, 64> events{};
    bool late = false;
    for (bool more = true; more;) {
        const int count = epoll_wait(events_.get(), events.data(), static_cast<int>(events.size()), 0);
        bool calls = false;
        for (int at = 0; at < count; ++at) {
            const std::uint64_t number = events[static_cast<std::size_t>(at)].data.u64;
            calls = calls || number == at_listener;
            late = late || number == at_timer;
            hear(number);
        }
        if (calls) {
            accept_some();
        }
        more = calls || count == static_cast<int>(events.size());
    }
    if (late) { // who has said something meanwhile is not
        send_late_away();
    }
}

void reception::accept_some() {
    constexpr int most_at_once = 64; // then all are heard
    for (int taken = 0; taken != most_at_once; ++taken) {
        owned_descriptor met = next_caller(listener_);
        const int why = met ? 0 : errno;
        failure_ = why == EAGAIN || why == EINTR || why == ECONNABORTED ? 0 : why;
        const bool none_left = why == EMFILE || why == ENFILE;
        if (!met && (!none_left || unproven_.empty())) {
            return;
        }
        if (none_left || unproven_.size() == most_unproven) {
            make_room();
        }
        if (met) {
            add(std::move(met));
        }
    }
}

// The oldest goes of those that have said nothing yet, or of all.
void reception::make_room() noexcept {
    const auto silent = std::ranges::find_if(
        unproven_, [](const auto &each) { return !each.second.who.greeted.has_answered(); });
    send_away(silent != unproven_.end() ? silent : unproven_.begin(),
              "one that kept silent while others needed its place");
}

void reception::add(owned_descriptor met) {
    const int socket = met.get();
    const auto made = unproven_.emplace_hint(
        unproven_.end(), next_pending_++,
        pending_caller{{std::move(met), greeting{greeting::side::listener, as_}}, clock::now() + patience_});
    if (!watch(socket, made->first)) {
        unproven_.erase(made);
    } else if (unproven_.size() == 1) {
        set_timer();
    }
}

void reception::hear(std::uint64_t number) {
    const auto found = unproven_.find(number);
    if (found == unproven_.end()) {
        return;
    }
    caller &one = found->second.who;
    switch (one.greeted.go_on(one.socket.get())) {
    case greeting::state::ended:
        send_away(found, nullptr);
        break;
    case greeting::state::refused:
        send_away(found, one.greeted.reason_to_refuse());
        break;
    case greeting::state::proven:
        epoll_ctl(events_.get(), EPOLL_CTL_DEL, one.socket.get(), nullptr);
        proven_.push_back(std::move(one));
        unproven_.erase(found);
        break;
    case greeting::state::under_way:
    case greeting::state::told:
        break;
    }
}

void reception::send_away(pending_callers::iterator one, const char *why) noexcept {
    if (why != nullptr && refused_) {
        refused_(why);
    }
    // Before it is closed: a child that holds it open would keep epoll telling of it.
    epoll_ctl(events_.get(), EPOLL_CTL_DEL, one->second.who.socket.get(), nullptr);
    unproven_.erase(one);
}

void reception::send_late_away() noexcept {
    std::uint64_t times = 0;
    static_cast<void>(read(timer_.get(), &times, sizeof times)); // so that it is readable no more
    while (!unproven_.empty() && unproven_.begin()->second.until <= clock::now()) {
        send_away(unproven_.begin(), "one that took too long to greet");
    }
    set_timer();
}

// To the time of the oldest one. Others are later, so their coming changes nothing.
void reception::set_timer() noexcept {
    if (unproven_.empty()) {
        return;
    }
    const auto rest = std::max<clock::duration>(unproven_.begin()->second.until - clock::now(),
                                                std::chrono::milliseconds{1});
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(rest);
    itimerspec due{};
    due.it_value = {whole.count(), std::chrono::nanoseconds{rest - whole}.count()};
    static_cast<void>(timerfd_settime(timer_.get(), 0, &due, nullptr)); // better with than without
}

} // namespace lisle::tcp
