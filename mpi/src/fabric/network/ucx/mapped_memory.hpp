// SPDX-License-Identifier: Apache-2.0
// Memory of this process that peers may copy, and UCX's keys to it. Used as the device is: callers take
// turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "fabric/network/ucx/ucx.hpp"

namespace lisle::fabric::network {

/// Memory of this process that peers may copy.
class mapped_memory {
  public:
    explicit mapped_memory(ucp_context_h context) noexcept : context_{context} {}
    mapped_memory(const mapped_memory &) = delete;
    mapped_memory &operator=(const mapped_memory &) = delete;
    ~mapped_memory() { withdraw_all(); }

    /// @return its number, which is never given again; nothing if UCX refuses
    [[nodiscard]] std::optional<std::uint64_t> add(const void *memory, std::size_t bytes) noexcept;
    void withdraw(std::uint64_t number) noexcept;
    void withdraw_all() noexcept;
    /// UCX's key, packed for peers; empty: there is no such memory.
    [[nodiscard]] std::span<const std::byte> packed(std::uint64_t number) const noexcept;

  private:
    struct entry {
        ucp_mem_h mapped;
        void *packed;
        std::size_t bytes;
    };
    void release(const entry &gone) noexcept;

    ucp_context_h context_;
    std::map<std::uint64_t, entry> all_;
    std::uint64_t next_ = 1;
};

} // namespace lisle::fabric::network
