// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/ofi/severing.hpp"

#include <charconv>
#include <cstring>
#include <dirent.h>
#include <sys/socket.h>

namespace lisle::fabric::network {

namespace {

bool is_between(int descriptor, const tcp::socket_address &own, const tcp::socket_address &peer) noexcept {
    const tcp::socket_address near = tcp::end_of(descriptor, getsockname);
    const tcp::socket_address far = tcp::end_of(descriptor, getpeername);
    return near.exists() && far.exists() && far.is_on_machine_of(peer) &&
           (far.port() == peer.port() || near.port() == own.port());
}

} // namespace

void sever_connections(const tcp::socket_address &own, const tcp::socket_address &peer) noexcept {
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

} // namespace lisle::fabric::network
