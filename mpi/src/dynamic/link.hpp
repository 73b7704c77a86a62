// SPDX-License-Identifier: Apache-2.0
// Two ranks of different jobs that talk over a connection of the system: what leaders tell each other before
// their groups can send messages.
#pragma once

#include "base/owned_descriptor.hpp"
#include "communicator/introduction.hpp"

namespace lisle::dynamic {

/// Sends and receives lists of bytes, each with its length ahead. Both sides may send at the same time.
class connection final : public leaders_link {
  public:
    /// @param descriptor of a stream socket that is connected
    explicit connection(owned_descriptor descriptor) noexcept : socket_{std::move(descriptor)} {}
    [[nodiscard]] std::vector<std::byte> exchange(std::span<const std::byte> mine, std::size_t most) override;

  private:
    /// Sends just these bytes, without a length. Throws mpi_error (MPI_ERR_OTHER) if the peer is gone.
    void send(std::span<const std::byte> bytes);
    /// Receives just so many. Throws likewise.
    void receive(std::span<std::byte> bytes);
    /// How many bytes have gone or come now; throws if the peer is gone.
    [[nodiscard]] std::size_t send_some(std::span<const std::byte> bytes) const;
    [[nodiscard]] std::size_t receive_some(std::span<std::byte> bytes) const;

    owned_descriptor socket_;
};

} // namespace lisle::dynamic
