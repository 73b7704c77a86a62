// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/rail/pulse.hpp"

#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <utility>

#include "tcp/connecting.hpp"

namespace lisle::fabric::network {

namespace {

constexpr std::uint64_t the_listener = ~std::uint64_t{0};

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
    : events_{epoll_create1(EPOLL_CLOEXEC)}, silence_{silence} {
    tcp::socket_address any_port = interface;
    any_port.set_port(0);
    listener_ = tcp::listen_at(any_port);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = the_listener;
    if (!listener_ || !events_ || epoll_ctl(events_.get(), EPOLL_CTL_ADD, listener_.get(), &event) != 0) {
        listener_.reset();
    }
}

tcp::socket_address pulse::address() const noexcept {
    return listener_ ? tcp::end_of(listener_.get(), getsockname) : tcp::socket_address{};
}

void pulse::watch(int process, const tcp::socket_address &address) {
    const auto at = static_cast<std::size_t>(process);
    if (links_.size() <= at) {
        links_.resize(at + 1);
    }
    if (links_[at] || !events_) {
        return;
    }
    tcp::begun_connection begun = tcp::begin_connecting(address);
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP; // a farewell, the end; and, always, errors
    event.data.u64 = at;
    // One that nobody listens for any more is watched as well: it tells so at once.
    if (begun.socket && (begun.failure == 0 || begun.failure == ECONNREFUSED) &&
        tcp::end_when_silent(begun.socket.get(), silence_) &&
        epoll_ctl(events_.get(), EPOLL_CTL_ADD, begun.socket.get(), &event) == 0) {
        links_[at] = std::move(begun.socket);
    } // else the system is out of descriptors: this peer is not watched
}

std::vector<pulse::end> pulse::ended() {
    std::vector<end> ends;
    std::array<epoll_event, 32> events{};
    const int count =
        events_ ? epoll_wait(events_.get(), events.data(), static_cast<int>(events.size()), 0) : 0;
    for (int at = 0; at < count; ++at) {
        const std::uint64_t which = events[static_cast<std::size_t>(at)].data.u64;
        if (which == the_listener) {
            accept_all();
            continue;
        }
        ends.push_back({static_cast<int>(which), ask(links_[which].get())});
        links_[which].reset();
    }
    return ends;
}

void pulse::say_farewell() noexcept {
    say_to_all(cause::farewell);
}

// The listener stays: a peer that finds nobody there takes this process for dead.
void pulse::retire() noexcept {
    say_to_all(cause::retired);
    links_.clear();
}

void pulse::say_to_all(cause why) noexcept {
    accept_all();
    last_word_ = why;
    for (const owned_descriptor &link : taken_) {
        say(link.get(), why);
    }
}

void pulse::accept_all() noexcept {
    while (owned_descriptor link = tcp::next_caller(listener_)) {
        tcp::keep_alive(link.get()); // so that one of a machine that is gone does not stay for ever
        if (last_word_) {
            say(link.get(), *last_word_);
        }
        try {
            taken_.push_back(std::move(link));
        } catch (...) { // no memory to keep it in: it ends
        }
    }
}

} // namespace lisle::fabric::network
