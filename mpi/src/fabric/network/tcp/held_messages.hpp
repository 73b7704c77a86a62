// SPDX-License-Identifier: Apache-2.0
// Short messages of one connection that wait for further ones, laid one behind the other as they will travel.
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "fabric/network/tcp/socket_message.hpp"

namespace lisle::fabric::network {

/// Not thread-safe.
class held_messages {
  public:
    /// Longer ones take the kernel so long that a call for each makes little difference.
    static constexpr std::size_t longest = 4096;

    [[nodiscard]] bool empty() const noexcept { return bytes_ == 0; }
    /// False: there is no room for the message, which consists of both.
    [[nodiscard]] bool add(const message_header &header, std::span<const std::byte> begin,
                           std::span<const std::byte> end) noexcept {
        const std::size_t needed = sizeof header + begin.size() + end.size();
        if (room_ == nullptr) {
            room_.reset(new (std::nothrow) std::byte[room_bytes]);
        }
        if (room_ == nullptr || needed > room_bytes - bytes_) {
            return false;
        }
        append(&header, sizeof header);
        append(begin.data(), begin.size());
        append(end.data(), end.size());
        return true;
    }
    /// What all of them are to be sent as: the first one's header and the rest. It stays until the next
    /// add().
    struct batch {
        message_header header;
        memory_runs rest;
    };
    [[nodiscard]] batch take() noexcept {
        batch all{};
        std::memcpy(&all.header, room_.get(), sizeof all.header);
        all.rest = memory_runs{room_.get() + sizeof all.header, std::exchange(bytes_, 0) - sizeof all.header};
        return all;
    }

  private:
    static constexpr std::size_t room_bytes = std::size_t{16} << 10;

    void append(const void *from, std::size_t bytes) noexcept {
        if (bytes != 0) {
            std::memcpy(room_.get() + bytes_, from, bytes);
            bytes_ += bytes;
        }
    }

    std::unique_ptr<std::byte[]> room_; ///< made for the first one
    std::size_t bytes_ = 0;             ///< of it, that hold messages
};

} // namespace lisle::fabric::network
