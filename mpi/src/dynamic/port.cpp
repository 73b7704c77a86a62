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
#include "world/process_id.hpp"

namespace lisle::dynamic {

using tcp::end_of;
using tcp::socket_address;

namespace {

constexpr std::string_view scheme = "lisle";
/// How long a caller may take to send its token.
constexpr std::chrono::seconds patience{5};

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

/// Waits for what the other end says first. `until`: no longer.
tcp::heard_greeting::state hear(tcp::heard_greeting &said, int socket,
                                std::chrono::steady_clock::time_point until) {
    auto now = tcp::heard_greeting::state::incomplete;
    wait_for([&] {
        now = said.hear(socket);
        return now != tcp::heard_greeting::state::incomplete || std::chrono::steady_clock::now() > until;
    });
    return now;
}

/// Whether a caller knows the token and still waits for an answer; if so, it has got one. One that keeps
/// silent must not keep others waiting.
bool is_welcome(int caller, std::uint64_t token) {
    tcp::heard_greeting said;
    const auto end = std::chrono::steady_clock::now() + patience;
    return hear(said, caller, end) == tcp::heard_greeting::state::complete &&
           said.reason_to_refuse(tcp::service::port, token) == nullptr && !tcp::has_ended(caller) &&
           tcp::say(caller, {.token = token, .with = tcp::service::port});
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
    std::array<char, 17> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), token, 16).ptr;
    return sentence(scheme, "#", text_of(address), "#", address.port(), "#",
                    std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
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
                         read_number(parts[3], found.token, 16);
    const auto address = is_ours ? address_of(std::string{parts[1]}, number) : std::nullopt;
    if (!address) {
        fail(MPI_ERR_PORT, "\"", name, "\" is no name that MPI_Open_port has given");
    }
    found.address = *address;
    return found;
}

port::port() : listener_{tcp::listen_at(chosen_interface())} {
    if (!listener_) {
        fail(MPI_ERR_PORT, "cannot listen for connections: ", std::strerror(errno));
    }
    place_ = {end_of(listener_.get(), getsockname), static_cast<std::uint64_t>(make_job_id())};
}

std::unique_ptr<leaders_link> port::accept(const std::function<void()> &given_up) {
    for (;;) {
        owned_descriptor caller;
        wait_for([&] {
            if (given_up) {
                given_up();
            }
            caller = tcp::next_caller(listener_);
            if (!caller && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
                fail(MPI_ERR_PORT, "cannot accept a connection: ", std::strerror(errno));
            }
            return static_cast<bool>(caller);
        });
        if (is_welcome(caller.get(), place_.token)) {
            return std::make_unique<connection>(std::move(caller));
        }
    }
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
    tcp::heard_greeting answer;
    const auto heard = tcp::say(socket, {.token = place.token, .with = tcp::service::port})
                           ? hear(answer, socket, until)
                           : tcp::heard_greeting::state::ended;
    if (heard == tcp::heard_greeting::state::ended) {
        fail(MPI_ERR_PORT, "the port \"", name, "\" does not accept: the other group's leader has gone");
    }
    if (answer.reason_to_refuse(tcp::service::port, place.token) != nullptr) {
        fail(MPI_ERR_PORT, "at the port \"", name, "\" listens a program of another kind");
    }
    if (heard != tcp::heard_greeting::state::complete) {
        fail(MPI_ERR_PORT, "the port \"", name, "\" does not accept: nobody has accepted for ",
             patience.count(), " s");
    }
    return std::make_unique<connection>(std::move(begun.socket));
}

} // namespace lisle::dynamic
