// SPDX-License-Identifier: Apache-2.0
#include "tcp/greeting.hpp"

#include <cerrno>
#include <sys/socket.h>

namespace lisle::tcp {

bool say(int socket, const greeting &what) noexcept {
    return send(socket, &what, sizeof what, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof what;
}

heard_greeting::state heard_greeting::hear(int socket) noexcept {
    auto *const into = reinterpret_cast<std::byte *>(&said_);
    if (bytes_ != sizeof said_) {
        const ssize_t count = recv(socket, into + bytes_, sizeof said_ - bytes_, MSG_DONTWAIT);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
            return state::ended;
        }
        bytes_ += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return bytes_ == sizeof said_ ? state::complete : state::incomplete;
}

const char *heard_greeting::reason_to_refuse(service with, std::uint64_t token) const noexcept {
    // A stranger is to be found out by what it has said, however little.
    if (bytes_ >= sizeof said_.magic && said_.magic != greeting::lisle) {
        return "from something else than Lisle, or a machine with another order of bytes";
    }
    if (bytes_ != sizeof said_) {
        return nullptr;
    }
    if (said_.version != greeting::current_version) {
        return "from another version of Lisle";
    }
    if (said_.with != with) {
        return "for something else than is here";
    }
    return said_.token != token ? "without this job's secret" : nullptr;
}

} // namespace lisle::tcp
