// SPDX-License-Identifier: Apache-2.0
#include "library/speaker_link.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace lisle {

using tcp::socket_address;

open_socket open_socket::listen_at(socket_address interface) noexcept {
    interface.set_port(0);
    constexpr int backlog = 4096;
    open_socket made{socket(interface.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    const bool listens =
        made && bind(made.get(), interface.data(), interface.size()) == 0 && listen(made.get(), backlog) == 0;
    return listens ? std::move(made) : open_socket{};
}

open_socket open_socket::connect_to(const socket_address &to) noexcept {
    open_socket made{socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const int yes = 1;
    const bool connected = made && connect(made.get(), to.data(), to.size()) == 0 &&
                           setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0;
    return connected ? std::move(made) : open_socket{};
}

bool speaker_link::send(const speaker_message &head, std::span<const spoken_wait> waits) noexcept {
    for (std::span<const std::byte> rest : {std::as_bytes(std::span{&head, 1}), std::as_bytes(waits)}) {
        while (!rest.empty()) {
            const ssize_t sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) {
                continue;
            }
            if (sent <= 0) {
                return false;
            }
            rest = rest.subspan(static_cast<std::size_t>(sent));
        }
    }
    return true;
}

bool speaker_link::take_in() {
    std::array<std::byte, 16384> some{};
    for (;;) {
        const ssize_t count = recv(socket_.get(), some.data(), some.size(), MSG_DONTWAIT);
        if (count > 0) {
            arrived_.insert(arrived_.end(), some.begin(), some.begin() + count);
        } else if (count < 0 && errno == EINTR) {
            continue;
        } else {
            return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        }
    }
}

std::optional<speaker_link::heard> speaker_link::next(std::uint64_t secret, std::size_t most_waits) {
    heard found{};
    if (arrived_.size() < sizeof found.head) {
        return std::nullopt;
    }
    std::memcpy(&found.head, arrived_.data(), sizeof found.head);
    if (found.head.secret != secret || found.head.version != speaker_message::current_version ||
        found.head.waits > most_waits) {
        socket_ = open_socket{}; // a stranger
        arrived_.clear();
        return std::nullopt;
    }
    const std::size_t behind = found.head.waits * sizeof(spoken_wait);
    if (arrived_.size() - sizeof found.head < behind) {
        return std::nullopt;
    }
    found.waits.resize(found.head.waits);
    if (behind != 0) {
        std::memcpy(found.waits.data(), arrived_.data() + sizeof found.head, behind);
    }
    arrived_.erase(arrived_.begin(),
                   arrived_.begin() + static_cast<std::ptrdiff_t>(sizeof found.head + behind));
    return found;
}

} // namespace lisle
