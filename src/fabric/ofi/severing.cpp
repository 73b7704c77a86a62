// SPDX-License-Identifier: Apache-2.0
#include "fabric/ofi/severing.hpp"

#include <charconv>
#include <cstring>
#include <dirent.h>
#include <optional>
#include <sys/socket.h>

namespace lisle::fabric::ofi {

namespace {

using name_of_end = int (*)(int, sockaddr *, socklen_t *);

/// The address of one end of a connection over IPv4; nothing for any other descriptor.
std::optional<sockaddr_in> end_of(int descriptor, name_of_end ask) noexcept {
    sockaddr_in found{};
    socklen_t length = sizeof found;
    if (ask(descriptor, reinterpret_cast<sockaddr *>(&found), &length) != 0 || length != sizeof found ||
        found.sin_family != AF_INET) {
        return std::nullopt;
    }
    return found;
}

bool is_between(int descriptor, const sockaddr_in &own, const sockaddr_in &peer) noexcept {
    const auto near = end_of(descriptor, getsockname);
    const auto far = end_of(descriptor, getpeername);
    return near && far && far->sin_addr.s_addr == peer.sin_addr.s_addr &&
           (far->sin_port == peer.sin_port || near->sin_port == own.sin_port);
}

} // namespace

void sever_connections(const sockaddr_in &own, const sockaddr_in &peer) noexcept {
    DIR *const descriptors = opendir("/proc/self/fd");
    if (descriptors == nullptr) {
        return; // the provider gives up by itself, later
    }
    while (const dirent *const each = readdir(descriptors)) {
        int descriptor = -1;
        const char *const end = each->d_name + std::strlen(each->d_name);
        if (std::from_chars(each->d_name, end, descriptor).ptr == end && is_between(descriptor, own, peer)) {
            shutdown(descriptor, SHUT_RDWR);
        }
    }
    closedir(descriptors);
}

} // namespace lisle::fabric::ofi
