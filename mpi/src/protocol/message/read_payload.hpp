// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "protocol/message/active_messages.hpp"
#include "protocol/message/refuse.hpp"

namespace lisle::protocol {

/// What a packet's payload begins with. Refuses one that is shorter.
template <class T> [[nodiscard]] T read_payload(const arrival &packet) {
    if (packet.payload.size() < sizeof(T)) {
        refuse(packet.peer, "is too short", packet.payload.size());
    }
    T value;
    std::memcpy(&value, packet.payload.data(), sizeof value);
    return value;
}

} // namespace lisle::protocol
