// SPDX-License-Identifier: Apache-2.0
// An address of TCP, over IPv4 or IPv6: of an interface, or with a port of one end of a connection.
#pragma once

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <netinet/in.h>
#include <span>
#include <string_view>
#include <sys/socket.h>

namespace lisle::tcp {

/// Copied as bytes from machine to machine. All zero: there is none.
class socket_address {
  public:
    socket_address() = default;
    /// What the system or a provider says; none if it is of another family or too short.
    explicit socket_address(std::span<const std::byte> said) noexcept {
        sa_family_t family = AF_UNSPEC;
        if (said.size() >= sizeof family) {
            std::memcpy(&family, said.data(), sizeof family); // stands first in each of them
        }
        const std::size_t length = length_of(family);
        if (length != 0 && said.size() >= length) {
            std::memcpy(&any_, said.data(), length);
        }
    }
    socket_address(const sockaddr *address, std::size_t bytes) noexcept
        : socket_address{std::span{reinterpret_cast<const std::byte *>(address), bytes}} {}

    [[nodiscard]] int family() const noexcept { return any_.sin6_family; }
    [[nodiscard]] bool exists() const noexcept { return length_of(any_.sin6_family) != 0; }
    /// @pre exists(); 0: any
    [[nodiscard]] in_port_t port() const noexcept { return ntohs(any_.sin6_port); }
    void set_port(in_port_t port) noexcept { any_.sin6_port = htons(port); }
    [[nodiscard]] bool is_on_machine_of(const socket_address &other) const noexcept {
        return family() == other.family() && std::ranges::equal(machine(), other.machine());
    }

    /// Whether the network "10.0.2.0/24", or "fd00::/64", has this address.
    [[nodiscard]] bool is_in(std::string_view network) const noexcept {
        const std::size_t slash = network.find('/');
        std::array<char, INET6_ADDRSTRLEN> text{};
        if (slash == std::string_view::npos || slash >= text.size() || !exists()) {
            return false;
        }
        network.copy(text.data(), slash);
        in6_addr wanted{};
        std::size_t bits = 0;
        const std::string_view length = network.substr(slash + 1);
        const std::span own = machine();
        if (inet_pton(family(), text.data(), &wanted) != 1 ||
            std::from_chars(length.data(), length.data() + length.size(), bits).ptr !=
                length.data() + length.size() ||
            bits > 8 * own.size()) {
            return false;
        }
        return begins_alike(own, std::as_bytes(std::span{&wanted, 1}), bits);
    }
    /// Whether both are in the network that the first bits of the other name.
    [[nodiscard]] bool is_in_network_of(const socket_address &other, int bits) const noexcept {
        return family() == other.family() && bits >= 0 &&
               static_cast<std::size_t>(bits) <= 8 * machine().size() &&
               begins_alike(machine(), other.machine(), static_cast<std::size_t>(bits));
    }
    [[nodiscard]] bool is_loopback() const noexcept { return is_in("127.0.0.0/8") || is_in("::1/128"); }
    friend bool operator==(const socket_address &one, const socket_address &other) noexcept {
        return one.compare(other) == 0;
    }
    /// Some order, the same on all machines.
    friend bool operator<(const socket_address &one, const socket_address &other) noexcept {
        return one.compare(other) < 0;
    }

    // ---- for the system's calls ----

    [[nodiscard]] const sockaddr *data() const noexcept { return reinterpret_cast<const sockaddr *>(&any_); }
    [[nodiscard]] socklen_t size() const noexcept {
        return static_cast<socklen_t>(length_of(any_.sin6_family));
    }

  private:
    [[nodiscard]] static bool begins_alike(std::span<const std::byte> one, std::span<const std::byte> other,
                                           std::size_t bits) noexcept {
        const auto rest = std::byte(0xff00U >> bits % 8);
        return std::ranges::equal(one.first(bits / 8), other.first(bits / 8)) &&
               (bits % 8 == 0 || ((one[bits / 8] ^ other[bits / 8]) & rest) == std::byte{0});
    }
    [[nodiscard]] int compare(const socket_address &other) const noexcept {
        return std::memcmp(&any_, &other.any_, sizeof any_);
    }
    static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
    [[nodiscard]] static constexpr std::size_t length_of(sa_family_t family) noexcept {
        return family == AF_INET ? sizeof(sockaddr_in) : family == AF_INET6 ? sizeof(sockaddr_in6) : 0;
    }
    /// The bytes that tell machines apart.
    [[nodiscard]] std::span<const std::byte> machine() const noexcept {
        const std::span all = std::as_bytes(std::span{&any_, 1});
        return any_.sin6_family == AF_INET ? all.subspan(offsetof(sockaddr_in, sin_addr), sizeof(in_addr))
                                           : all.subspan(offsetof(sockaddr_in6, sin6_addr), sizeof(in6_addr));
    }

    sockaddr_in6 any_{}; ///< the longer one, or a sockaddr_in at its beginning
};
static_assert(sizeof(socket_address) == sizeof(sockaddr_in6));

/// The address of the machine as people write it, without a port: "10.0.2.1", "fd00::1".
inline void write_text(const socket_address &address, std::span<char, INET6_ADDRSTRLEN> to) noexcept {
    const auto *const any = reinterpret_cast<const std::byte *>(address.data());
    const std::size_t at =
        address.family() == AF_INET ? offsetof(sockaddr_in, sin_addr) : offsetof(sockaddr_in6, sin6_addr);
    if (inet_ntop(address.family(), any + at, to.data(), to.size()) == nullptr) {
        to.front() = '\0';
    }
}

/// What getsockname or getpeername says of a descriptor; none if it is no such connection.
using name_of_end = int (*)(int, sockaddr *, socklen_t *);
[[nodiscard]] inline socket_address end_of(int descriptor, name_of_end ask) noexcept {
    sockaddr_storage found{};
    socklen_t length = sizeof found;
    if (ask(descriptor, reinterpret_cast<sockaddr *>(&found), &length) != 0) {
        return {};
    }
    return {reinterpret_cast<const sockaddr *>(&found), std::min<std::size_t>(length, sizeof found)};
}

} // namespace lisle::tcp
