// SPDX-License-Identifier: Apache-2.0
// How two processes come to share one connection. Who has something to say connects, and greets; who was
// connected to checks the greeting and answers. Nothing else is said before that. Where both connect at the
// same time, the connection of the one with the lower address is used.
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fabric/network/tcp/socket_device.hpp"

namespace lisle::fabric::network {

namespace {

/// Connections of somebody who has not said yet who it is; the oldest goes then.
constexpr std::size_t most_unnamed = 1024;

void set_option(int socket, int level, int option, int value) noexcept {
    static_cast<void>(setsockopt(socket, level, option, &value, sizeof value)); // better with than without
}

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

socket_link *socket_device::ready_link(peer_number to, operation &op, attempt &answer) noexcept {
    peer &at = peers_[to];
    if (at.link != nullptr && at.link->is == socket_link::stage::ready) {
        return at.link;
    }
    if (at.lost) {
        ended_.push_back({&op, 0, true});
        call();
        answer = attempt::done;
        return nullptr;
    }
    if (at.link == nullptr && clock::now() >= at.next_try) {
        connect_to(to);
    }
    answer = attempt::full;
    return nullptr;
}

void socket_device::connect_to(std::size_t number) noexcept {
    const int made = socket(own_.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) {
        return; // out of descriptors: again later
    }
    set_option(made, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
    set_option(made, IPPROTO_TCP, TCP_NODELAY, 1);
    const socket_address &to = peers_[number].listens;
    epoll_event event{};
    event.events = EPOLLOUT;
    auto link = std::make_unique<socket_link>();
    event.data.ptr = link.get();
    link->socket = made;
    link->peer = number;
    link->watched = event.events;
    if (bind(made, interface_.data(), interface_.size()) != 0 ||
        (connect(made, to.data(), to.size()) != 0 && errno != EINPROGRESS) ||
        epoll_ctl(events_, EPOLL_CTL_ADD, made, &event) != 0) {
        ::close(made);
        return;
    }
    peers_[number].link = link.get();
    ++unfinished_;
    links_.push_back(std::move(link));
}

void socket_device::accept_all() noexcept {
    for (int made = 0; (made = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
        set_option(made, IPPROTO_TCP, TCP_NODELAY, 1);
        epoll_event event{};
        event.events = EPOLLIN;
        auto link = std::make_unique<socket_link>();
        event.data.ptr = link.get();
        link->socket = made;
        link->is = socket_link::stage::unnamed;
        link->peer = peers_.max_size();
        link->watched = event.events;
        if (epoll_ctl(events_, EPOLL_CTL_ADD, made, &event) != 0) {
            ::close(made);
            continue;
        }
        if (unfinished_ >= most_unnamed) {
            const auto oldest = std::ranges::find_if(
                links_, [](const auto &each) { return each->is == socket_link::stage::unnamed; });
            if (oldest != links_.end()) {
                break_link(**oldest);
            }
        }
        ++unfinished_;
        links_.push_back(std::move(link));
    }
}

bool socket_device::say_greeting(const socket_link &link, greeting::verdict says) noexcept {
    const greeting own{.magic = greeting::lisle,
                       .version = greeting::current_version,
                       .says = says,
                       .secret = secret_,
                       .listens = own_,
                       .reserved = 0};
    // The first bytes on a connection: the kernel has room for them.
    return ::send(link.socket, &own, sizeof own, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof own;
}

void socket_device::connected(socket_link &link) noexcept {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(link.socket, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0 ||
        !say_greeting(link, greeting::verdict::welcome)) {
        break_link(link);
        return;
    }
    link.is = socket_link::stage::greeting;
    watch(link, EPOLLIN);
}

void socket_device::hear_greeting(socket_link &link) noexcept {
    auto *const into = reinterpret_cast<std::byte *>(&link.heard);
    const ssize_t count =
        recv(link.socket, into + link.heard_bytes, sizeof link.heard - link.heard_bytes, MSG_DONTWAIT);
    if (count <= 0) {
        if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            break_link(link);
        }
        return;
    }
    link.heard_bytes += static_cast<std::size_t>(count);
    const greeting &heard = link.heard;
    // A stranger is to be found out by what it has said, however little.
    if (link.heard_bytes >= sizeof heard.magic && heard.magic != greeting::lisle) {
        drop(link, "from something else than Lisle, or a machine with another order of bytes");
    } else if (link.heard_bytes == sizeof heard) {
        if (heard.version != greeting::current_version) {
            drop(link, "from another version of Lisle");
        } else if (heard.secret != secret_) {
            drop(link, "without this job's secret");
        } else if (link.is == socket_link::stage::greeting) {
            answered(link);
        } else {
            named(link);
        }
    }
}

void socket_device::answered(socket_link &link) noexcept {
    if (link.heard.listens == peers_[link.peer].listens && link.heard.says == greeting::verdict::welcome) {
        --unfinished_;
        use(link, link.peer);
    } else if (link.heard.says == greeting::verdict::crossing) {
        --unfinished_;
        link.is = socket_link::stage::losing;
    } else {
        drop(link, "from another process than was called");
    }
}

void socket_device::named(socket_link &link) noexcept {
    const socket_address listens = link.heard.listens;
    if (!listens.exists() || listens.family() != own_.family() || listens == own_) {
        drop(link, "from an address that is none");
        return;
    }
    const std::size_t number = find_peer(listens);
    socket_link *const own = peers_[number].link;
    if (peers_[number].lost) {
        break_link(link);
        return;
    }
    const bool loses = own != nullptr && (own->is == socket_link::stage::ready ||
                                          (own->is != socket_link::stage::losing && own_ < listens));
    if (!say_greeting(link, loses ? greeting::verdict::crossing : greeting::verdict::welcome)) {
        break_link(link);
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
        break_link(*own);
    }
    use(link, number);
}

void socket_device::use(socket_link &link, std::size_t number) noexcept {
    choose_congestion_control(link.socket);
    link.is = socket_link::stage::ready;
    link.peer = number;
    peers_[number].link = &link;
    ++ready_;
    watch(link, EPOLLIN);
}

std::size_t socket_device::find_peer(const socket_address &listens) {
    const auto found = std::ranges::find(peers_, listens, &peer::listens);
    if (found == peers_.end()) {
        peers_.push_back({.listens = listens});
        return peers_.size() - 1;
    }
    return static_cast<std::size_t>(found - peers_.begin());
}

void socket_device::drop(socket_link &link, const char *why) noexcept {
    if (count_dropped()) {
        std::fprintf(stderr,
                     "lisle: dropped a connection of the network: %s (further ones are not reported)\n", why);
    }
    break_link(link);
}

} // namespace lisle::fabric::network
