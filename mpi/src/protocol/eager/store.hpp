// SPDX-License-Identifier: Apache-2.0
// A whole message that is here goes to a receive's buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/copy_short.hpp"
#include "fabric/local/mailbox.hpp"
#include "protocol/message/operation.hpp"

namespace lisle::protocol {

/// The rest of store_data().
[[gnu::noinline]] void store_long_data(receive_operation &receive, std::span<const std::byte> data);

/// Stores the message, and notes its size and whether it fitted.
[[gnu::always_inline]] inline void store_data(receive_operation &receive, std::span<const std::byte> data) {
    const auto room = static_cast<std::size_t>(receive.buffer.bytes());
    if (data.size() <= fabric::cell::inline_bytes && data.size() <= room && receive.buffer.type->contiguous())
        [[likely]] {
        copy_short(static_cast<std::byte *>(receive.buffer.address), data.data(), data.size());
        receive.result.bytes = static_cast<MPI_Count>(data.size());
        return;
    }
    store_long_data(receive, data);
}

} // namespace lisle::protocol
