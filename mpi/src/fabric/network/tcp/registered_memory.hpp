// SPDX-License-Identifier: Apache-2.0
// The memory of this process that peers may copy from and to, by key.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "fabric/network/tcp/socket_message.hpp"

namespace lisle::fabric::network {

/// Not thread-safe.
class registered_memory {
  public:
    void add(std::uint64_t key, std::span<std::byte> memory) { by_key_.insert_or_assign(key, memory); }
    void remove(std::uint64_t key) noexcept { by_key_.erase(key); }
    void close() noexcept { by_key_.clear(); }

    /// The bytes that a peer names; null: they are not all in memory of that key.
    [[nodiscard]] std::byte *find(const message_header &named) const noexcept {
        const auto found = by_key_.find(named.key);
        if (found == by_key_.end()) {
            return nullptr;
        }
        const std::span<std::byte> memory = found->second;
        const auto begin = reinterpret_cast<std::uint64_t>(memory.data());
        if (named.address < begin || named.address - begin > memory.size() ||
            named.bytes > memory.size() - (named.address - begin)) {
            return nullptr;
        }
        return memory.data() + (named.address - begin);
    }

  private:
    std::unordered_map<std::uint64_t, std::span<std::byte>> by_key_;
};

} // namespace lisle::fabric::network
