// SPDX-License-Identifier: Apache-2.0
// The address at which tests listen: this machine's own, with a port that is free.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>

#include "tcp/socket_address.hpp"

inline lisle::tcp::socket_address loopback_address() {
    sockaddr_in any{
        .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    return {reinterpret_cast<const sockaddr *>(&any), sizeof any};
}
