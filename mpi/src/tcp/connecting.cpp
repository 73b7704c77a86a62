// SPDX-License-Identifier: Apache-2.0
#include "tcp/connecting.hpp"

#include <cerrno>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace lisle::tcp {

namespace {

constexpr int backlog = 4096;

bool set_option(int socket, int level, int option, int value) noexcept {
    return setsockopt(socket, level, option, &value, sizeof value) == 0;
}

owned_descriptor make_socket(int family) noexcept {
    return owned_descriptor{socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
}

// Messages are short, and somebody waits for each. Better with than without.
void send_at_once(int socket) noexcept {
    static_cast<void>(set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1));
}

bool can(int descriptor, short what, int milliseconds) noexcept {
    pollfd asked{descriptor, what, 0};
    return poll(&asked, 1, milliseconds) > 0;
}

} // namespace

socket_address any_address() noexcept {
    const sockaddr_in6 any{
        .sin6_family = AF_INET6, .sin6_port = 0, .sin6_flowinfo = 0, .sin6_addr = {}, .sin6_scope_id = 0};
    const sockaddr_in any4{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {INADDR_ANY}, .sin_zero = {}};
    const owned_descriptor probe = make_socket(AF_INET6);
    const bool has = probe && bind(probe.get(), reinterpret_cast<const sockaddr *>(&any), sizeof any) == 0;
    return has ? socket_address{reinterpret_cast<const sockaddr *>(&any), sizeof any}
               : socket_address{reinterpret_cast<const sockaddr *>(&any4), sizeof any4};
}

owned_descriptor listen_at(const socket_address &where) noexcept {
    owned_descriptor made = make_socket(where.family());
    if (where.family() == AF_INET6) {
        static_cast<void>(set_option(made.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0)); // any address is IPv4's, too
    }
    const bool listens =
        made && bind(made.get(), where.data(), where.size()) == 0 && listen(made.get(), backlog) == 0;
    return listens ? std::move(made) : owned_descriptor{};
}

owned_descriptor next_caller(const owned_descriptor &listener) noexcept {
    owned_descriptor caller{accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (caller) {
        send_at_once(caller.get());
    }
    return caller;
}

begun_connection begin_connecting(const socket_address &to, const socket_address &from) noexcept {
    owned_descriptor made = make_socket(to.family());
    if (!made) {
        return {owned_descriptor{}, errno};
    }
    send_at_once(made.get());
    if (from.exists()) {
        static_cast<void>(set_option(made.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1));
        if (bind(made.get(), from.data(), from.size()) != 0) {
            return {owned_descriptor{}, errno};
        }
    }
    const bool failed = connect(made.get(), to.data(), to.size()) != 0 && errno != EINPROGRESS;
    return {std::move(made), failed ? errno : 0};
}

int failure_of(int socket) noexcept {
    int error = 0;
    socklen_t length = sizeof error;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

bool wait_writable(int socket) noexcept {
    while (!can(socket, POLLOUT, -1)) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool wait_connected(int socket) noexcept {
    return wait_writable(socket) && failure_of(socket) == 0;
}

bool is_writable(int socket) noexcept {
    return can(socket, POLLOUT, 0);
}

bool wait_writable(int socket, std::chrono::milliseconds longest) noexcept {
    return can(socket, POLLOUT, static_cast<int>(longest.count()));
}

bool is_readable(int descriptor) noexcept {
    return can(descriptor, POLLIN, 0);
}

bool has_ended(int socket) noexcept {
    std::byte next{};
    return recv(socket, &next, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

void keep_alive(int socket) noexcept {
    static_cast<void>(set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1)); // better with than without
}

bool end_when_silent(int socket, std::chrono::seconds silence) noexcept {
    const int seconds = static_cast<int>(silence.count());
    return set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1) &&
           set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 1) &&
           set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 1) &&
           set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, seconds) &&
           set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 1000 * seconds);
}

} // namespace lisle::tcp
