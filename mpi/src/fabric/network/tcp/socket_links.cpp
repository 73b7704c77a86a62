// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/tcp/socket_links.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/socket.h>
#include <utility>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle::fabric::network {

namespace {

/// Connections of somebody who has not said yet who it is; the oldest goes then.
constexpr std::size_t most_unnamed = 1024;

/// Where the machine's connections are governed by BBR, those to a near peer are governed by Reno instead,
/// which every process may choose. BBR holds bytes back by a timer, at a rate that it learns from how fast
/// earlier ones arrived. Between machines that are microseconds apart, which mostly wait for each other's
/// messages, it learns a quarter of what the network can do.
void choose_congestion_control(int socket) noexcept {
    constexpr std::uint32_t near_microseconds = 3000;
    constexpr std::string_view reno = "reno";
    std::array<char, 16> name{};
    tcp_info info{};
    socklen_t name_bytes = name.size(), info_bytes = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &name_bytes) == 0 &&
        std::string_view{name.data()}.starts_with("bbr") &&
        getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &info_bytes) == 0 &&
        info.tcpi_rtt < near_microseconds) {
        static_cast<void>(setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, reno.data(), reno.size()));
    }
}

} // namespace

socket_links::socket_links(const tcp::tcp_interface &on, std::uint64_t secret, drop_count &drops,
                           const link_contents &contents)
    : secret_{secret}, interface_{on.address}, drops_{drops}, contents_{contents},
      listener_{tcp::listen_at(interface_)}, events_{epoll_create1(EPOLL_CLOEXEC)} {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &listener_;
    epoll_event called = event;
    called.data.ptr = nullptr;
    if (!listener_ || !events_ || contents_.ended.descriptor() < 0 ||
        epoll_ctl(events_.get(), EPOLL_CTL_ADD, listener_.get(), &event) != 0 ||
        epoll_ctl(events_.get(), EPOLL_CTL_ADD, contents_.ended.descriptor(), &called) != 0) {
        fail(MPI_ERR_OTHER, "cannot listen for peers on the interface ", on.name, ": ", std::strerror(errno));
    }
    own_ = tcp::end_of(listener_.get(), getsockname);
}

void socket_links::close() noexcept {
    links_.clear();
    listener_.reset();
    events_.reset();
    peers_.clear();
    ready_ = unfinished_ = 0;
}

peer_number socket_links::find_peer(const tcp::socket_address &listens) {
    const auto found = std::ranges::find(peers_, listens, &peer::listens);
    if (found == peers_.end()) {
        peers_.push_back({.listens = listens});
        return peers_.size() - 1;
    }
    return static_cast<peer_number>(found - peers_.begin());
}

void socket_links::give_up(peer_number number) noexcept {
    if (number < peers_.size()) {
        peer &lost = peers_[number];
        lost.lost = true;
        if (lost.link != nullptr && lost.link->is == socket_link::stage::connecting) {
            lost.problem = ETIMEDOUT; // what is sent there is dropped on its way
            report_unreached(lost);
        }
        if (lost.link != nullptr) {
            end(*lost.link);
            contents_.ended.call();
        }
    }
}

// ---- beginning ----

socket_link *socket_links::begin(peer_number to, operation &op, attempt &answer) noexcept {
    const peer &at = peers_[to];
    if (at.lost) {
        contents_.ended.add(&op, 0, true);
        contents_.ended.call();
        answer = attempt::done;
        return nullptr;
    }
    if (at.link == nullptr && clock::now() >= at.next_try) {
        connect_to(to);
    }
    answer = attempt::full;
    return nullptr;
}

socket_link *socket_links::try_add(owned_descriptor socket, socket_link::stage is,
                                   std::uint32_t events) noexcept {
    try {
        return add(std::move(socket), is, events);
    } catch (const std::bad_alloc &) {
        return nullptr; // the peer tries again
    }
}

socket_link *socket_links::add(owned_descriptor socket, socket_link::stage is, std::uint32_t events) {
    auto link = std::make_unique<socket_link>();
    links_.reserve(links_.size() + 1);
    epoll_event event{};
    event.events = events;
    event.data.ptr = link.get();
    if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, socket.get(), &event) != 0) {
        return nullptr;
    }
    link->socket = std::move(socket);
    link->is = is;
    link->peer = peers_.max_size();
    link->watched = events;
    ++unfinished_;
    links_.push_back(std::move(link));
    return links_.back().get();
}

void socket_links::connect_to(peer_number number) noexcept {
    tcp::begun_connection begun = tcp::begin_connecting(peers_[number].listens, interface_);
    if (!begun.socket || begun.failure != 0) {
        note_failed_try(peers_[number], begun.socket ? begun.failure : 0);
        return; // out of descriptors, or the peer is slow: again later
    }
    if (socket_link *const link =
            try_add(std::move(begun.socket), socket_link::stage::connecting, EPOLLOUT)) {
        link->peer = number;
        peers_[number].link = link;
    }
}

void socket_links::accept_all() noexcept {
    while (owned_descriptor caller = tcp::next_caller(listener_)) {
        if (unfinished_ >= most_unnamed) {
            drop_oldest_unnamed();
        }
        static_cast<void>(try_add(std::move(caller), socket_link::stage::unnamed, EPOLLIN));
    }
}

void socket_links::drop_oldest_unnamed() noexcept {
    const auto oldest = std::ranges::find_if(
        links_, [](const auto &each) { return each->is == socket_link::stage::unnamed; });
    if (oldest != links_.end()) {
        end(**oldest);
    }
}

// ---- greeting ----

bool socket_links::say_greeting(const socket_link &link, tcp::greeting::verdict says) noexcept {
    return tcp::say(link.socket.get(),
                    {.says = says, .token = secret_, .listens = own_, .with = tcp::service::messages});
}

void socket_links::connected(socket_link &link) noexcept {
    const int problem = tcp::failure_of(link.socket.get());
    if (problem != 0 || !say_greeting(link, tcp::greeting::verdict::welcome)) {
        note_failed_try(peers_[link.peer], problem);
        end(link);
        return;
    }
    link.is = socket_link::stage::greeting;
    watch(link, EPOLLIN);
}

void socket_links::note_failed_try(peer &to, int problem) noexcept {
    // Nobody listens at the address of a process that has ended, too, of which others tell soon.
    constexpr int tries_if_refused = 20;
    to.problem = problem;
    if (problem != 0 && ++to.tries >= (problem == ECONNREFUSED ? tries_if_refused : 1)) {
        report_unreached(to);
    }
}

void socket_links::report_unreached(const peer &to) noexcept {
    if (std::exchange(reported_unreached_, true)) {
        return;
    }
    std::array<char, INET6_ADDRSTRLEN> there{};
    std::array<char, INET6_ADDRSTRLEN> here{};
    tcp::write_text(to.listens, there);
    tcp::write_text(interface_, here);
    std::fprintf(
        stderr,
        "lisle: cannot connect from %s to %s, port %d: %s (does a firewall let the processes of a job "
        "through? LISLE_NETWORK_INTERFACE names another network; further ones are not reported)\n",
        here.data(), there.data(), static_cast<int>(to.listens.port()), std::strerror(to.problem));
}

void socket_links::hear_greeting(socket_link &link) noexcept {
    const tcp::heard_greeting::state now = link.heard.hear(link.socket.get());
    if (now == tcp::heard_greeting::state::ended) {
        end(link);
    } else if (const char *const why = link.heard.reason_to_refuse(tcp::service::messages, secret_)) {
        drop(link, why);
    } else if (now == tcp::heard_greeting::state::complete && link.is == socket_link::stage::greeting) {
        answered(link);
    } else if (now == tcp::heard_greeting::state::complete) {
        named(link);
    }
}

void socket_links::answered(socket_link &link) noexcept {
    if (link.heard.said().listens == peers_[link.peer].listens &&
        link.heard.said().says == tcp::greeting::verdict::welcome) {
        --unfinished_;
        use(link, link.peer);
    } else if (link.heard.said().says == tcp::greeting::verdict::crossing) {
        --unfinished_;
        link.is = socket_link::stage::losing;
    } else {
        drop(link, "from another process than was called");
    }
}

void socket_links::named(socket_link &link) noexcept {
    const tcp::socket_address listens = link.heard.said().listens;
    if (!listens.exists() || listens.family() != own_.family() || listens == own_) {
        drop(link, "from an address that is none");
        return;
    }
    const peer_number number = find_peer(listens);
    socket_link *const own = peers_[number].link;
    if (peers_[number].lost) {
        end(link);
        return;
    }
    const bool loses = own != nullptr && (own->is == socket_link::stage::ready ||
                                          (own->is != socket_link::stage::losing && own_ < listens));
    if (!say_greeting(link, loses ? tcp::greeting::verdict::crossing : tcp::greeting::verdict::welcome)) {
        end(link);
        return;
    }
    --unfinished_;
    if (loses) {
        link.is = socket_link::stage::idle;
        return;
    }
    link.peer = number;
    peers_[number].link = &link;
    if (own != nullptr) {
        end(*own);
    }
    use(link, number);
}

void socket_links::use(socket_link &link, peer_number number) noexcept {
    choose_congestion_control(link.socket.get());
    link.is = socket_link::stage::ready;
    link.peer = number;
    peers_[number].link = &link;
    ++ready_;
    watch(link, EPOLLIN);
}

// ---- events and ends ----

socket_link *socket_links::happened(const epoll_event &event) noexcept {
    if (event.data.ptr == nullptr) {
        return nullptr; // something has ended, as was called out
    }
    if (event.data.ptr == &listener_) {
        accept_all();
        return nullptr;
    }
    socket_link &link = *static_cast<socket_link *>(event.data.ptr);
    switch (link.is) {
    case socket_link::stage::connecting:
        connected(link);
        return nullptr;
    case socket_link::stage::greeting:
    case socket_link::stage::unnamed:
        hear_greeting(link);
        return nullptr;
    case socket_link::stage::ready:
        return &link;
    case socket_link::stage::idle:
    case socket_link::stage::losing:
        end(link); // nothing is said on it, so this is its end
        return nullptr;
    case socket_link::stage::closed:
        break;
    }
    return nullptr;
}

void socket_links::watch(socket_link &link, std::uint32_t events) noexcept {
    if (link.watched != events) {
        epoll_event event{};
        event.events = events;
        event.data.ptr = &link;
        if (epoll_ctl(events_.get(), EPOLL_CTL_MOD, link.socket.get(), &event) == 0) {
            link.watched = events;
        }
    }
}

void socket_links::end(socket_link &link) noexcept {
    if (!link.is_open()) {
        return;
    }
    unfinished_ -= link.is_unfinished() ? 1 : 0;
    const bool was_ready = link.is_ready();
    ready_ -= was_ready ? 1 : 0;
    link.is = socket_link::stage::closed;
    link.socket.reset();
    any_closed_ = true;
    link.out.fail(contents_.ended);
    if (std::exchange(link.in.paused, false)) {
        contents_.posted.end_waiting();
    }
    if (link.in.missing != 0 && link.in.into.op != nullptr) {
        contents_.posted.give_back(std::exchange(link.in.into, {}));
    }
    contents_.requests.fail_all_of(link);
    if (link.peer < peers_.size() && peers_[link.peer].link == &link) {
        constexpr std::chrono::milliseconds between_tries{100};
        peer &of = peers_[link.peer];
        of.link = nullptr;
        // What has been connected once stays apart: messages may be missing. Else the peer may be slow;
        // whether it is there at all is for others to find out.
        of.lost = of.lost || was_ready;
        of.next_try = clock::now() + between_tries;
    }
}

void socket_links::drop(socket_link &link, const char *why) noexcept {
    if (drops_.add()) {
        std::fprintf(stderr,
                     "lisle: dropped a connection of the network: %s (further ones are not reported)\n", why);
    }
    end(link);
}

void socket_links::reap() noexcept {
    if (std::exchange(any_closed_, false)) {
        std::erase_if(links_, [](const auto &each) { return !each->is_open(); });
    }
}

} // namespace lisle::fabric::network
