// SPDX-License-Identifier: Apache-2.0
// Copies that this process has started, until the peer has answered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/network/tcp/ended_operations.hpp"
#include "fabric/network/tcp/socket_link.hpp"
#include "fabric/network/tcp/socket_message.hpp"

namespace lisle::fabric::network {

/// Not thread-safe.
class copy_requests {
  public:
    struct request {
        operation *op = nullptr; ///< null: free
        const socket_link *by = nullptr;
        memory_runs own;
        std::size_t bytes = 0, moved = 0;
        std::uint32_t generation = 0;
        bool reads = false;
    };

    /// @param ended hears of their ends; outlives this
    explicit copy_requests(ended_operations &ended) noexcept : ended_{ended} {}

    /// @return the number by which the peer answers
    [[nodiscard]] std::uint64_t add(socket_link &by, std::span<const iovec> own, bool reads, operation &op);
    /// The request that a peer names; null: there is none of that connection.
    [[nodiscard]] request *find(std::uint64_t number, const socket_link &by) noexcept;
    /// @pre find() finds it
    void end(std::uint64_t number, socket_link &by, bool failed) noexcept;
    /// The connection has ended, so nobody will answer.
    void fail_all_of(socket_link &by) noexcept;

    void close() noexcept {
        all_.clear();
        free_.clear();
    }

  private:
    ended_operations &ended_;
    std::vector<request> all_;
    std::vector<std::uint32_t> free_; ///< places
};

} // namespace lisle::fabric::network
