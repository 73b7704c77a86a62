// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/tcp/socket_links.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <netinet/tcp.h>
#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <utility>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle::fabric::network {

namespace {

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

socket_links::socket_links(const tcp::tcp_interface &on, const tcp::socket_address &listens_at,
                           const shared_secret &secret, drop_count &drops, const link_contents &contents)
    : interface_{on.address}, drops_{drops}, contents_{contents},
      reception_{listens_at,
                 {.with = tcp::service::messages,
                  .secret = secret,
                  .listens = interface_,
                  .wants = tcp::wanted_protection()},
                 [this](const char *why) { report_drop(why); }},
      self_{.with = tcp::service::messages,
            .secret = secret,
            .listens = reception_.address(),
            .wants = tcp::wanted_protection()},
      events_{epoll_create1(EPOLL_CLOEXEC)} {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &reception_;
    epoll_event called = event;
    called.data.ptr = nullptr;
    if (!reception_ || !events_ || contents_.ended.descriptor() < 0 ||
        epoll_ctl(events_.get(), EPOLL_CTL_ADD, reception_.descriptor(), &event) != 0 ||
        epoll_ctl(events_.get(), EPOLL_CTL_ADD, contents_.ended.descriptor(), &called) != 0) {
        fail(MPI_ERR_OTHER, "cannot listen for peers on the interface ", on.name, ": ", std::strerror(errno));
    }
}

void socket_links::close() noexcept {
    links_.clear();
    reception_.close();
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

void socket_links::reach(peer_number number, const tcp::way &by, std::chrono::seconds silence) noexcept {
    peer &to = peers_[number];
    to.by = by;
    if (by.is == tcp::way::kind::calling && to.link == nullptr && !to.lost) {
        connect_to(number);
    }
    if (to.calls()) {
        to.silence = silence;
        to.next_try = clock::now() + silence; // then it is late
        watch_if_caller(to);
    }
}

void socket_links::watch_if_caller(const peer &from) noexcept {
    if (from.calls() && from.link != nullptr && from.link->is_ready()) {
        static_cast<void>(tcp::end_when_silent(from.link->socket.get(), from.silence));
    }
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
        if (at.calls()) {
            contents_.lost.push_back(to); // it has not called
        } else {
            connect_to(to);
        }
    }
    answer = attempt::full;
    return nullptr;
}

socket_link *socket_links::try_add(tcp::reception::caller &&with, socket_link::stage is,
                                   std::uint32_t events) noexcept {
    try {
        return add(std::move(with), is, events);
    } catch (const std::bad_alloc &) {
        return nullptr; // the peer tries again
    }
}

socket_link *socket_links::add(tcp::reception::caller &&with, socket_link::stage is, std::uint32_t events) {
    links_.reserve(links_.size() + 1);
    auto link = std::make_unique<socket_link>(socket_link{.socket = tcp::stream{std::move(with.socket)},
                                                          .is = is,
                                                          .greeted = with.greeted,
                                                          .in = {},
                                                          .out = {},
                                                          .held = {}});
    epoll_event event{};
    event.events = events;
    event.data.ptr = link.get();
    if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, link->socket.get(), &event) != 0) {
        return nullptr;
    }
    link->peer = peers_.max_size();
    link->watched = events;
    ++unfinished_;
    links_.push_back(std::move(link));
    return links_.back().get();
}

void socket_links::connect_to(peer_number number) noexcept {
    const peer &to = peers_[number];
    tcp::begun_connection begun =
        tcp::begin_connecting(to.address(), to.has_path() ? to.by.by.from : interface_);
    if (!begun.socket || begun.failure != 0) {
        note_failed_try(peers_[number], begun.socket ? begun.failure : 0);
        return; // out of descriptors, or the peer is slow: again later
    }
    tcp::reception::caller calling{std::move(begun.socket), {tcp::greeting::side::caller, self_}};
    if (socket_link *const link = try_add(std::move(calling), socket_link::stage::connecting, EPOLLOUT)) {
        link->peer = number;
        peers_[number].link = link;
    }
}

// ---- greeting ----

void socket_links::connected(socket_link &link) noexcept {
    if (const int problem = tcp::failure_of(link.socket.get()); problem != 0) {
        note_failed_try(peers_[link.peer], problem);
        end(link);
        return;
    }
    link.is = socket_link::stage::greeting;
    watch(link, EPOLLIN);
    hear_greeting(link); // says hello; all the answers may be there already
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
    tcp::write_text(to.address(), there);
    tcp::write_text(to.has_path() && to.by.by.from.exists() ? to.by.by.from : interface_, here);
    std::fprintf(
        stderr,
        "lisle: cannot connect from %s to %s, port %d: %s (does a firewall let the processes of a job "
        "through? LISLE_NETWORK_INTERFACE names another network; further ones are not reported)\n",
        here.data(), there.data(), static_cast<int>(to.listens.port()), std::strerror(to.problem));
}

void socket_links::hear_greeting(socket_link &link) noexcept {
    switch (link.greeted.go_on(link.socket.get())) {
    case tcp::greeting::state::under_way:
    case tcp::greeting::state::proven:
        break;
    case tcp::greeting::state::told:
        answered(link);
        break;
    case tcp::greeting::state::ended:
        end(link);
        break;
    case tcp::greeting::state::refused:
        drop(link, link.greeted.reason_to_refuse());
        break;
    }
}

void socket_links::answered(socket_link &link) noexcept {
    if (link.greeted.listens_there() != peers_[link.peer].listens) {
        drop(link, "from another process than was called");
        return;
    }
    --unfinished_;
    if (link.greeted.told() == tcp::greeting::word::welcome) {
        use(link, link.peer, tcp::greeting::side::caller);
    } else {
        link.is = socket_link::stage::losing;
    }
}

void socket_links::hear_callers() noexcept {
    while (std::optional<tcp::reception::caller> met = reception_.next()) {
        take(std::move(*met));
    }
}

void socket_links::take(tcp::reception::caller &&met) noexcept {
    const tcp::socket_address listens = met.greeted.listens_there();
    if (!listens.exists() || listens == own_address()) {
        report_drop("from an address that is none");
        return;
    }
    const peer_number number = find_peer(listens);
    if (peers_[number].lost) {
        return;
    }
    socket_link *const own = peers_[number].link;
    // One that is not there yet may never be: something may block this direction.
    const bool loses =
        own != nullptr && (own->is == socket_link::stage::ready ||
                           (own->is == socket_link::stage::greeting && own_address() < listens));
    const auto word = loses ? tcp::greeting::word::crossing : tcp::greeting::word::welcome;
    if (!met.greeted.say(met.socket.get(), word)) {
        return;
    }
    socket_link *const link =
        try_add(std::move(met), loses ? socket_link::stage::idle : socket_link::stage::greeting, EPOLLIN);
    if (link == nullptr) {
        return;
    }
    --unfinished_;
    if (!loses) {
        if (own != nullptr) {
            end(*own);
        }
        use(*link, number, tcp::greeting::side::listener);
    }
}

void socket_links::use(socket_link &link, peer_number number, tcp::greeting::side is) noexcept {
    link.socket.protect(is, link.greeted, self_.wants);
    choose_congestion_control(link.socket.get());
    link.is = socket_link::stage::ready;
    link.peer = number;
    peers_[number].link = &link;
    watch_if_caller(peers_[number]);
    ++ready_;
    watch(link, EPOLLIN);
}

// ---- events and ends ----

socket_link *socket_links::happened(const epoll_event &event) noexcept {
    if (event.data.ptr == nullptr) {
        return nullptr; // something has ended, as was called out
    }
    if (event.data.ptr == &reception_) {
        hear_callers();
        return nullptr;
    }
    socket_link &link = *static_cast<socket_link *>(event.data.ptr);
    switch (link.is) {
    case socket_link::stage::connecting:
        connected(link);
        return nullptr;
    case socket_link::stage::greeting:
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
    // A child that a rank starts holds the connection open until it runs its program: epoll would go on
    // telling of it.
    static_cast<void>(epoll_ctl(events_.get(), EPOLL_CTL_DEL, link.socket.get(), nullptr));
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
        if (was_ready && of.calls()) {
            contents_.lost.push_back(link.peer);
        }
        of.lost = of.lost || was_ready;
        of.next_try = clock::now() + between_tries;
    }
}

void socket_links::drop(socket_link &link, const char *why) noexcept {
    report_drop(why);
    end(link);
}

void socket_links::report_drop(const char *why) noexcept {
    if (drops_.add()) {
        std::fprintf(stderr,
                     "lisle: dropped a connection of the network: %s (further ones are not reported)\n", why);
    }
}

void socket_links::reap() noexcept {
    if (std::exchange(any_closed_, false)) {
        std::erase_if(links_, [](const auto &each) { return !each->is_open(); });
    }
}

} // namespace lisle::fabric::network
