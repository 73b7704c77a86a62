// SPDX-License-Identifier: Apache-2.0
#include "dynamic/port.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <sys/socket.h>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "dynamic/patient.hpp"
#include "mpi.h"
#include "tcp/connecting.hpp"
#include "tcp/greeting.hpp"
#include "tcp/tcp_interface.hpp"

namespace lisle::dynamic {

using tcp::socket_address;

namespace {

constexpr std::string_view scheme = "lisle";
/// The interface that a port listens on: the first that LISLE_NETWORK_INTERFACE names.
socket_address chosen_interface() {
    const std::string &wanted = text_of(setting::network_interface);
    const auto named = tcp::tcp_interfaces_named(wanted);
    if (named.empty()) {
        fail(MPI_ERR_PORT, wanted.empty() ? "this machine has no interface of TCP that is up"
                                          : sentence("LISLE_NETWORK_INTERFACE=", wanted,
                                                     " names no interface of this machine that is up"));
    }
    return named.front().address;
}

/// "192.0.2.1" or "fd00::1".
std::string text_of(const socket_address &address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const auto *const data = address.data();
    const void *const machine =
        address.family() == AF_INET
            ? static_cast<const void *>(&reinterpret_cast<const sockaddr_in *>(data)->sin_addr)
            : &reinterpret_cast<const sockaddr_in6 *>(data)->sin6_addr;
    return inet_ntop(address.family(), machine, text.data(), text.size()) != nullptr ? text.data() : "";
}

std::optional<socket_address> address_of(const std::string &text, in_port_t port) {
    sockaddr_in four{};
    sockaddr_in6 six{};
    socket_address found;
    if (inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1) {
        four.sin_family = AF_INET;
        found = socket_address{reinterpret_cast<const sockaddr *>(&four), sizeof four};
    } else if (inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) == 1) {
        six.sin6_family = AF_INET6;
        found = socket_address{reinterpret_cast<const sockaddr *>(&six), sizeof six};
    } else {
        return std::nullopt;
    }
    found.set_port(port);
    return found;
}

template <class Number> bool read_number(std::string_view text, Number &into, int base) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into, base);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

shared_secret secret_of_port() {
    const auto made = make_secret();
    if (!made) {
        fail(MPI_ERR_OTHER, "the system gives no random numbers for the name of a port");
    }
    return *made;
}

/// Reads two digits for each byte, and nothing else.
bool read_secret(std::string_view text, shared_secret &into) {
    constexpr std::size_t digits = 2;
    bool sound = text.size() == digits * into.bytes.size();
    for (std::size_t at = 0; sound && at != into.bytes.size(); ++at) {
        std::uint8_t byte = 0;
        sound = read_number(text.substr(digits * at, digits), byte, 16);
        into.bytes[at] = std::byte{byte};
    }
    return sound;
}

std::string text_of(const shared_secret &secret) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const std::byte each : secret.bytes) {
        text += digits[std::to_integer<std::size_t>(each >> 4)];
        text += digits[std::to_integer<std::size_t>(each & std::byte{15})];
    }
    return text;
}

/// True once a connection is there; throws if it comes to nothing.
bool is_connected(int socket, std::string_view name) {
    if (!tcp::is_writable(socket)) {
        return false;
    }
    if (const int error = tcp::failure_of(socket); error != 0) {
        fail(MPI_ERR_PORT, "nobody listens at the port \"", name, "\": ", std::strerror(error));
    }
    return true;
}

} // namespace

std::string port_place::name() const {
    return sentence(scheme, "#", text_of(address), "#", address.port(), "#", text_of(secret));
}

port_place port_place::named(std::string_view name) {
    std::array<std::string_view, 4> parts;
    std::string_view rest = name;
    for (std::string_view &part : parts) {
        const std::size_t end = std::min(rest.find('#'), rest.size());
        part = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    in_port_t number = 0;
    port_place found;
    const bool is_ours = parts[0] == scheme && rest.empty() && read_number(parts[2], number, 10) &&
                         read_secret(parts[3], found.secret);
    const auto address = is_ours ? address_of(std::string{parts[1]}, number) : std::nullopt;
    if (!address) {
        fail(MPI_ERR_PORT, "\"", name, "\" is no name that MPI_Open_port has given");
    }
    found.address = *address;
    return found;
}

port::port()
    : secret_{secret_of_port()},
      reception_{chosen_interface(),
                 {.with = tcp::service::port, .secret = secret_, .listens = {}, .wants = wanted_}} {
    if (!reception_) {
        fail(MPI_ERR_PORT, "cannot listen for connections: ", std::strerror(errno));
    }
}

std::unique_ptr<leaders_link> port::accept(const std::function<void()> &given_up) {
    std::optional<tcp::reception::caller> caller;
    wait_for([&] {
        if (given_up) {
            given_up();
        }
        caller = reception_.next();
        if (!caller && reception_.failure() != 0) {
            fail(MPI_ERR_PORT, "cannot accept a connection: ", std::strerror(reception_.failure()));
        }
        return caller && caller->greeted.say(caller->socket.get(), tcp::greeting::word::welcome);
    });
    return std::make_unique<connection>(std::move(caller->socket), tcp::greeting::side::listener,
                                        caller->greeted, wanted_);
}

std::unique_ptr<leaders_link> connect_to_port(std::string_view name, std::chrono::seconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    const port_place place = port_place::named(name);
    tcp::begun_connection begun = tcp::begin_connecting(place.address);
    if (!begun.socket) {
        fail(MPI_ERR_NO_MEM, "the system has no socket left: ", std::strerror(begun.failure));
    }
    if (begun.failure != 0) {
        fail(MPI_ERR_PORT, "nobody listens at the port \"", name, "\": ", std::strerror(begun.failure));
    }
    const int socket = begun.socket.get();
    wait_for([&] { return is_connected(socket, name); });
    const tcp::protection wanted = tcp::wanted_protection();
    tcp::greeting greeted{
        tcp::greeting::side::caller,
        {.with = tcp::service::port, .secret = place.secret, .listens = {}, .wants = wanted}};
    using state = tcp::greeting::state;
    state now{};
    wait_for([&] {
        now = greeted.go_on(socket);
        return (now != state::under_way && now != state::proven) || std::chrono::steady_clock::now() > until;
    });
    if (now == state::ended) {
        fail(MPI_ERR_PORT, "the port \"", name, "\" does not accept: the other group's leader has gone");
    }
    if (now == state::refused) {
        fail(MPI_ERR_PORT, "at the port \"", name, "\" listens a program of another kind: it answers ",
             greeted.reason_to_refuse());
    }
    if (now != state::told) {
        fail(MPI_ERR_PORT, "the port \"", name, "\" does not accept: nobody has accepted for ",
             patience.count(), " s");
    }
    return std::make_unique<connection>(std::move(begun.socket), tcp::greeting::side::caller, greeted,
                                        wanted);
}

} // namespace lisle::dynamic
