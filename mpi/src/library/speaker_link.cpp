// SPDX-License-Identifier: Apache-2.0
#include "library/speaker_link.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <utility>

#include "tcp/connecting.hpp"

namespace lisle {

speaker_link::speaker_link(owned_descriptor connected, std::uint64_t secret, side is) noexcept
    : socket_{std::move(connected)}, secret_{secret} {
    if (is == side::caller) {
        say_greeting();
    }
}

// What cannot be said shows when something is to be heard.
void speaker_link::say_greeting() noexcept {
    said_greeting_ = tcp::say(socket_.get(), {.token = secret_, .with = tcp::service::speaker});
}

bool speaker_link::send(const speaker_message &head, std::span<const spoken_wait> waits) noexcept {
    if (!said_greeting_) {
        return true; // to nobody that is known yet
    }
    for (std::span<const std::byte> rest : {std::as_bytes(std::span{&head, 1}), std::as_bytes(waits)}) {
        while (!rest.empty()) {
            const ssize_t sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
            if (sent < 0 && (errno == EINTR || (errno == EAGAIN && tcp::wait_writable(socket_.get())))) {
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
    using state = tcp::heard_greeting::state;
    const state now = greeting_.hear(socket_.get());
    if (now == state::ended || greeting_.reason_to_refuse(tcp::service::speaker, secret_) != nullptr) {
        return false;
    }
    if (now == state::incomplete) {
        return true;
    }
    if (!said_greeting_) {
        say_greeting();
    }
    return take_in_messages();
}

bool speaker_link::take_in_messages() {
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

std::optional<speaker_link::heard> speaker_link::next(std::size_t most_waits) {
    heard found{};
    if (arrived_.size() < sizeof found.head) {
        return std::nullopt;
    }
    std::memcpy(&found.head, arrived_.data(), sizeof found.head);
    if (found.head.waits > most_waits) {
        socket_.reset(); // it keeps to no rules
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
