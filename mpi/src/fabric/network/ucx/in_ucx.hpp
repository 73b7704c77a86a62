// SPDX-License-Identifier: Apache-2.0
// What the room of an operation holds while UCX has it.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include "fabric/network/ucx/ucx_device.hpp"

namespace lisle::fabric::network {

struct ucx_device::in_ucx {
    ucx_device *self;
    void *request;   ///< null: the operation has ended
    operation *next; ///< in one of the device's lists
    operation *before;
    remote_key *key;
    std::size_t bytes;
    bool failed;

    static in_ucx &of(operation &op) noexcept {
        static_assert(sizeof(in_ucx) <= sizeof op.provider_room && std::is_trivially_copyable_v<in_ucx>);
        return *std::launder(reinterpret_cast<in_ucx *>(op.provider_room.data()));
    }
    static in_ucx &begin(operation &op, ucx_device &self) noexcept {
        return *new (op.provider_room.data()) in_ucx{&self, nullptr, nullptr, nullptr, nullptr, 0, false};
    }
};

} // namespace lisle::fabric::network
