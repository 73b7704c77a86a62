// SPDX-License-Identifier: Apache-2.0
// Messages and copies over TCP sockets without a library in between: one connection to each peer process,
// made when it is first needed. The system is called as seldom as possible: a message leaves with one call,
// on its sender's thread if the kernel takes it, and one call brings all that has arrived, right where it
// belongs: a message in the buffer that stands ready, a copy in the memory that asked for it. The owner of
// memory that is read or written answers when it polls. Short messages that follow each other to one peer
// leave together: a call of the system takes many times as long as a message.
#pragma once

#include "fabric/network/device/device.hpp"
#include "fabric/network/tcp/copy_requests.hpp"
#include "fabric/network/tcp/registered_memory.hpp"
#include "fabric/network/tcp/socket_links.hpp"
#include "fabric/network/tcp/socket_receiver.hpp"
#include "tcp/tcp_interface.hpp"

namespace lisle::fabric::network {

class socket_device final : public device {
  public:
    /// @param everywhere listens on all interfaces of this machine, by whichever a peer comes
    /// Throws mpi_error (MPI_ERR_OTHER) if the system does not let it listen there.
    socket_device(const tcp::tcp_interface &on, bool everywhere, const shared_secret &secret);

    void close() noexcept override;
    [[nodiscard]] std::vector<std::byte> address() const override;
    [[nodiscard]] peer_number add_peer(std::span<const std::byte> address) override;
    void reach(peer_number peer, const tcp::way &by, std::chrono::seconds silence) noexcept override {
        links_.reach(peer, by, silence);
    }
    [[nodiscard]] bool is_connected(peer_number peer) const noexcept override {
        return links_.is_connected(peer);
    }
    void give_up(peer_number peer) noexcept override { links_.give_up(peer); }
    void use_memory(std::span<std::byte>) override {}
    [[nodiscard]] std::optional<std::uint64_t> expose(const void *memory, std::size_t bytes,
                                                      std::uint64_t wanted) noexcept override;
    void withdraw(std::uint64_t key) noexcept override;
    [[nodiscard]] attempt receive(std::span<std::byte> into, operation &op) noexcept override;
    [[nodiscard]] attempt send(std::span<std::byte> bytes, std::span<const std::byte> end, peer_number to,
                               operation &op) noexcept override;
    void send_held() noexcept override;
    [[nodiscard]] bool holds_any() const noexcept override { return holds_any_; }
    [[nodiscard]] attempt inject(std::span<const std::byte>, peer_number) noexcept override {
        return attempt::refused; // send() ends at once where it can
    }
    [[nodiscard]] attempt read(std::span<const iovec> into, peer_number from, std::uint64_t address,
                               std::uint64_t key, operation &op) noexcept override;
    [[nodiscard]] attempt write(std::span<const iovec> data, peer_number to, std::uint64_t address,
                                std::uint64_t key, operation &op) noexcept override;
    [[nodiscard]] std::size_t take_completions(std::span<completion> ended) noexcept override;
    [[nodiscard]] int descriptor() const noexcept override { return links_.descriptor(); }
    [[nodiscard]] bool may_wait() noexcept override;

  private:
    /// The connection for a copy from or to own memory in these runs, if they are not too many.
    [[nodiscard]] socket_link *ready_for(std::span<const iovec> runs, peer_number peer, operation &op,
                                         attempt &answer) noexcept;
    void progress() noexcept;
    void receive_from(socket_link &from) noexcept;
    void receive_rests() noexcept;
    static void lay_held(socket_link &to) noexcept;
    void flush(socket_link &to) noexcept;
    void lost(socket_link &to) noexcept;

    ended_operations ended_;
    posted_receives posted_;
    copy_requests requests_{ended_};
    registered_memory exposed_;
    socket_links links_;
    socket_receiver receiver_;
    unsigned looks_ = 0; ///< without epoll
    unsigned look_ = 1;  ///< number of the next one at what arrives
    bool holds_any_ = false;
};

} // namespace lisle::fabric::network
