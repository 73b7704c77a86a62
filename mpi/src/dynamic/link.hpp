// SPDX-License-Identifier: Apache-2.0
// A socket between two ranks of different jobs, for what leaders exchange before their groups can send
// messages.
#pragma once

#include "base/owned_descriptor.hpp"
#include "communicator/introduction.hpp"
#include "tcp/stream.hpp"

namespace lisle::dynamic {

/// Sends and receives byte strings, each preceded by its length. Both sides may send at the same time.
class connection final : public leaders_link {
  public:
    /// @param descriptor of a stream socket that is connected
    explicit connection(owned_descriptor descriptor) noexcept : stream_{std::move(descriptor)} {}
    /// One on which both ends have greeted. @param is the side of this end
    connection(owned_descriptor descriptor, tcp::greeting::side is, const tcp::greeting &greeted,
               tcp::protection wanted);
    void swap(std::span<const std::byte> mine, std::span<std::byte> theirs) override;
    [[nodiscard]] std::vector<std::byte> exchange(std::span<const std::byte> mine, std::size_t most) override;
    [[nodiscard]] std::optional<shared_secret> secret() const override { return secret_; }

  private:
    /// How many bytes have been sent or received by this call; throws if the peer is gone.
    [[nodiscard]] std::size_t send_some(std::span<const std::byte> bytes);
    [[nodiscard]] bool flush();
    [[nodiscard]] std::size_t receive_some(std::span<std::byte> bytes);

    tcp::stream stream_;
    std::optional<shared_secret> secret_;
};

} // namespace lisle::dynamic
