// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/rail/pulse.hpp"

#include <array>
#include <cerrno>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace lisle::fabric::network {

namespace {

constexpr std::uint64_t the_listener = ~std::uint64_t{0};

bool set(int socket, int level, int option, int value) noexcept {
    return setsockopt(socket, level, option, &value, sizeof value) == 0;
}

void say(int link, pulse::cause why) noexcept {
    static_cast<void>(
        send(link, &why, sizeof why, MSG_DONTWAIT | MSG_NOSIGNAL)); // to a peer that may be gone itself
}

/// Why a connection has ended or brings a word.
pulse::cause ask(int link) noexcept {
    pulse::cause said{};
    const ssize_t count = recv(link, &said, sizeof said, MSG_DONTWAIT);
    if (count == sizeof said) {
        return said == pulse::cause::retired ? said : pulse::cause::farewell;
    }
    const bool silent = count < 0 && (errno == ETIMEDOUT || errno == EHOSTUNREACH || errno == ENETUNREACH);
    return silent ? pulse::cause::silence : pulse::cause::death;
}

} // namespace

pulse::pulse(const tcp::socket_address &interface, std::chrono::seconds silence)
    : listener_{socket(interface.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)},
      events_{epoll_create1(EPOLL_CLOEXEC)}, silence_{silence} {
    tcp::socket_address any_port = interface;
    any_port.set_port(0);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = the_listener;
    constexpr int backlog = 4096;
    if (listener_ < 0 || events_ < 0 || bind(listener_, any_port.data(), any_port.size()) != 0 ||
        listen(listener_, backlog) != 0 || epoll_ctl(events_, EPOLL_CTL_ADD, listener_, &event) != 0) {
        close(std::exchange(listener_, -1));
    }
}

pulse::~pulse() {
    close_each(links_);
    close_each(taken_);
    for (const int each : {listener_, events_}) {
        if (each >= 0) {
            close(each);
        }
    }
}

void pulse::close_each(std::vector<int> &sockets) noexcept {
    for (const int each : sockets) {
        if (each >= 0) {
            close(each);
        }
    }
    sockets.clear();
}

tcp::socket_address pulse::address() const noexcept {
    return listener_ < 0 ? tcp::socket_address{} : tcp::end_of(listener_, getsockname);
}

void pulse::watch(int process, const tcp::socket_address &address) {
    const auto at = static_cast<std::size_t>(process);
    if (links_.size() <= at) {
        links_.resize(at + 1, -1);
    }
    if (links_[at] >= 0 || events_ < 0) {
        return;
    }
    const int link = socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (link < 0) {
        return; // out of descriptors: this peer is not watched
    }
    const int seconds = static_cast<int>(silence_.count());
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP; // a farewell, the end; and, always, errors
    event.data.u64 = at;
    const bool watched = set(link, SOL_SOCKET, SO_KEEPALIVE, 1) && set(link, IPPROTO_TCP, TCP_KEEPIDLE, 1) &&
                         set(link, IPPROTO_TCP, TCP_KEEPINTVL, 1) &&
                         set(link, IPPROTO_TCP, TCP_KEEPCNT, seconds) &&
                         set(link, IPPROTO_TCP, TCP_USER_TIMEOUT, 1000 * seconds) &&
                         (connect(link, address.data(), address.size()) == 0 || errno == EINPROGRESS ||
                          errno == ECONNREFUSED) &&
                         epoll_ctl(events_, EPOLL_CTL_ADD, link, &event) == 0;
    if (!watched) {
        close(link);
        return;
    }
    links_[at] = link;
}

std::vector<pulse::end> pulse::ended() {
    std::vector<end> ends;
    std::array<epoll_event, 32> events{};
    const int count =
        events_ < 0 ? 0 : epoll_wait(events_, events.data(), static_cast<int>(events.size()), 0);
    for (int at = 0; at < count; ++at) {
        const std::uint64_t which = events[static_cast<std::size_t>(at)].data.u64;
        if (which == the_listener) {
            accept_all();
            continue;
        }
        ends.push_back({static_cast<int>(which), ask(links_[which])});
        close(std::exchange(links_[which], -1));
    }
    return ends;
}

void pulse::say_farewell() noexcept {
    say_to_all(cause::farewell);
}

// The listener stays: a peer that finds nobody there takes this process for dead.
void pulse::retire() noexcept {
    say_to_all(cause::retired);
    close_each(links_);
}

void pulse::say_to_all(cause why) noexcept {
    accept_all();
    last_word_ = why;
    for (const int link : taken_) {
        say(link, why);
    }
}

void pulse::accept_all() noexcept {
    for (int link = 0; (link = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
        set(link, SOL_SOCKET, SO_KEEPALIVE,
            1); // so that one of a machine that is gone does not stay for ever
        if (last_word_) {
            say(link, *last_word_);
        }
        try {
            taken_.push_back(link);
        } catch (...) {
            close(link);
        }
    }
}

} // namespace lisle::fabric::network
