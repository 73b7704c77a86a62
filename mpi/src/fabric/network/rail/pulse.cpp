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

using tcp::greeter;
using tcp::greeting;

/// Numbers of the epoll's events: below are the processes, above the peers that watch this one.
constexpr std::uint64_t the_reception = std::uint64_t{1} << 32;
constexpr std::uint64_t first_watcher = the_reception + 1;
/// For how long the kernels may connect before the caller goes on: a hello that waits at a process which
/// leaves still gets its farewell.
constexpr std::chrono::milliseconds connecting{20};
/// So often in vain a peer is called whose port is there, but ends connections.
constexpr int most_calls = 20;

bool means_silence(int error) noexcept {
    return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH;
}

tcp::socket_address with_any_port(tcp::socket_address interface) noexcept {
    if (interface.exists()) {
        interface.set_port(0);
    }
    return interface;
}

} // namespace

pulse::pulse(const tcp::socket_address &interface, const shared_secret &secret, std::chrono::seconds silence)
    : self_{.with = tcp::service::pulse, .secret = secret, .listens = {}},
      reception_{with_any_port(interface), self_}, events_{epoll_create1(EPOLL_CLOEXEC)}, silence_{silence},
      next_watcher_{first_watcher} {
    if (reception_) {
        wait_for_events(the_reception, reception_.descriptor(), EPOLLIN, EPOLL_CTL_ADD);
    }
}

void pulse::wait_for_events(std::uint64_t number, int link, std::uint32_t which, int how) noexcept {
    epoll_event event{};
    event.events = which;
    event.data.u64 = number;
    static_cast<void>(epoll_ctl(events_.get(), how, link, &event)); // without it the end shows later
}

// A child that a rank starts holds the connection open until it runs its program: epoll would tell of it on.
void pulse::hang_up(owned_descriptor &link) noexcept {
    static_cast<void>(epoll_ctl(events_.get(), EPOLL_CTL_DEL, link.get(), nullptr));
    link.reset();
}

void pulse::watch(int process, const tcp::socket_address &address) {
    const auto at = static_cast<std::size_t>(process);
    if (peers_.size() <= at) {
        peers_.resize(at + 1);
    }
    if (!peers_[at].link && events_) {
        peers_[at] = {{}, address, std::nullopt, 0, false};
        static_cast<void>(call(at)); // without a descriptor this peer is not watched
    }
}

// One that nobody listens for any more is watched as well: it tells so at once.
bool pulse::call(std::size_t at) noexcept {
    watched &peer = peers_[at];
    tcp::begun_connection begun = tcp::begin_connecting(peer.at);
    if (!begun.socket || (begun.failure != 0 && begun.failure != ECONNREFUSED) ||
        !tcp::end_when_silent(begun.socket.get(), silence_)) {
        return false;
    }
    ++peer.calls;
    peer.link = std::move(begun.socket);
    peer.greeted.emplace(greeting::side::caller, self_);
    const bool connected = begun.failure == 0 && tcp::wait_writable(peer.link.get(), connecting);
    auto now = greeting::state::under_way;
    if (connected && tcp::failure_of(peer.link.get()) == 0) {
        now = peer.greeted->go_on(peer.link.get());
    }
    peer.is_told = now == greeting::state::told;
    // What is to be heard next comes, or has come already: an event for the latter is that it can be written
    // to.
    const bool comes = connected && (now == greeting::state::under_way || now == greeting::state::proven);
    wait_for_events(at, peer.link.get(), EPOLLIN | EPOLLRDHUP | (comes ? 0U : std::uint32_t{EPOLLOUT}),
                    EPOLL_CTL_ADD);
    return true;
}

std::vector<pulse::end> pulse::ended() {
    std::vector<end> ends;
    std::array<epoll_event, 32> events{};
    const int count =
        events_ ? epoll_wait(events_.get(), events.data(), static_cast<int>(events.size()), 0) : 0;
    for (int at = 0; at < count; ++at) {
        const std::uint64_t which = events[static_cast<std::size_t>(at)].data.u64;
        if (which == the_reception) {
            take_watchers();
        } else if (which >= first_watcher) {
            if (const auto found = watchers_.find(which); found != watchers_.end()) {
                hang_up(found->second.link); // it has nothing to say, so this is its end
                watchers_.erase(found);
            }
        } else if (const auto why = hear(which)) {
            ends.push_back({static_cast<int>(which), *why});
            hang_up(peers_[which].link);
        }
    }
    return ends;
}

// Why the peer is to be given up, if it is.
std::optional<pulse::cause> pulse::hear(std::size_t at) noexcept {
    watched &peer = peers_[at];
    if (!peer.link) {
        return std::nullopt;
    }
    const int error = tcp::failure_of(peer.link.get());
    const bool is_told = std::exchange(peer.is_told, false);
    // What it has said before its end comes first.
    switch (is_told ? greeting::state::told : peer.greeted->go_on(peer.link.get())) {
    case greeting::state::under_way:
    case greeting::state::proven:
        wait_for_events(at, peer.link.get(), EPOLLIN | EPOLLRDHUP, EPOLL_CTL_MOD);
        return std::nullopt;
    case greeting::state::told:
        return peer.greeted->told() == greeting::word::retired ? cause::retired : cause::farewell;
    case greeting::state::refused:
        return cause::death; // somebody else has its port
    case greeting::state::ended:
        break;
    }
    return means_silence(error) ? cause::silence : error == ECONNREFUSED ? cause::death : call_again(at);
}

// The peer may have waited in vain for a word of this process, which computed. If it has ended itself, nobody
// listens there any more.
std::optional<pulse::cause> pulse::call_again(std::size_t at) noexcept {
    hang_up(peers_[at].link);
    if (peers_[at].calls < most_calls && call(at)) {
        return std::nullopt;
    }
    return cause::death;
}

void pulse::say_farewell() noexcept {
    say_to_all(greeting::word::farewell);
}

// The reception stays: a peer that finds nobody there takes this process for dead.
void pulse::retire() noexcept {
    say_to_all(greeting::word::retired);
    for (watched &each : peers_) {
        hang_up(each.link);
    }
    peers_.clear();
}

void pulse::say_to_all(greeting::word last) noexcept {
    take_watchers();
    last_word_ = last;
    for (auto &[number, each] : watchers_) {
        static_cast<void>(each.greeted.say(each.link.get(), last)); // to a peer that may be gone itself
    }
    reception_.say_to_unproven(last);
}

void pulse::take_watchers() noexcept {
    try {
        while (std::optional<tcp::reception::caller> met = reception_.next()) {
            // So that one of a machine that is gone does not stay for ever.
            tcp::keep_alive(met->socket.get());
            if (last_word_) {
                static_cast<void>(met->greeted.say(met->socket.get(), *last_word_));
            }
            const std::uint64_t number = next_watcher_++;
            wait_for_events(number, met->socket.get(), EPOLLIN | EPOLLRDHUP, EPOLL_CTL_ADD);
            watchers_.emplace(number, watcher{std::move(met->socket), met->greeted});
        }
    } catch (...) { // no memory to keep it in: it ends
    }
}

} // namespace lisle::fabric::network
