// SPDX-License-Identifier: Apache-2.0
// A device of UCX: one worker of its protocol layer, an endpoint to each peer that is sent to. Messages are
// tagged ones of one tag, copies are UCX's get and put, and what they need to know of the owner's memory goes
// by active messages (remote_keys.hpp). UCX chooses among its transports what reaches a peer: InfiniBand,
// TCP, shared memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fabric/network/device/choice.hpp"
#include "fabric/network/ucx/mapped_memory.hpp"
#include "fabric/network/ucx/remote_keys.hpp"
#include "fabric/network/ucx/ucx.hpp"

namespace lisle::fabric::network {

class ucx_device final : public device {
  public:
    /// @param interface what UCX_NET_DEVICES would say @param address of the interface, where it has one of
    /// TCP: then there are no copies, and long messages go in frames Throws mpi_error (MPI_ERR_OTHER) with
    /// what UCX says if it cannot be opened.
    ucx_device(const std::string &interface, const tcp::socket_address &address);
    ~ucx_device() override { close(); }

    void close() noexcept override;
    [[nodiscard]] std::vector<std::byte> address() const override;
    [[nodiscard]] peer_number add_peer(std::span<const std::byte> address) override;
    void give_up(peer_number peer) noexcept override;
    void use_memory(std::span<std::byte> /*memory*/) override {}
    [[nodiscard]] std::optional<std::uint64_t> expose(const void *memory, std::size_t bytes,
                                                      std::uint64_t wanted) noexcept override;
    void withdraw(std::uint64_t key) noexcept override;
    [[nodiscard]] attempt receive(std::span<std::byte> into, operation &op) noexcept override;
    [[nodiscard]] attempt send(std::span<std::byte> bytes, std::span<const std::byte> end, peer_number to,
                               operation &op) noexcept override;
    [[nodiscard]] attempt inject(std::span<const std::byte> /*bytes*/, peer_number /*to*/) noexcept override {
        return attempt::refused; // traits() say that nothing is short enough
    }
    [[nodiscard]] attempt read(std::span<const iovec> into, peer_number from, std::uint64_t address,
                               std::uint64_t key, operation &op) noexcept override;
    [[nodiscard]] attempt write(std::span<const iovec> data, peer_number to, std::uint64_t address,
                                std::uint64_t key, operation &op) noexcept override;
    [[nodiscard]] std::size_t take_completions(std::span<completion> ended) noexcept override;
    [[nodiscard]] int descriptor() const noexcept override { return descriptor_; }
    [[nodiscard]] bool may_wait() noexcept override;

  private:
    struct peer {
        ucx_device *of;
        std::vector<std::byte> address;
        ucp_ep_h endpoint = nullptr; ///< null: not sent to yet, or given up
        bool connected = false, failed = false;
    };
    /// What the room of an operation holds while UCX has it.
    struct in_ucx;
    struct key_message;

    void hear_of_keys();
    /// Null: what stands in `otherwise`, since the peer is not connected yet or has failed.
    [[nodiscard]] ucp_ep_h endpoint_of(peer_number to, attempt &otherwise) noexcept;
    void connect(peer &there) noexcept;
    void close_endpoint(peer &of) noexcept;
    /// What starts a copy with the owner's memory: its endpoint and a key. Nothing: what stands in
    /// `otherwise`.
    struct copy_target {
        ucp_ep_h endpoint;
        remote_key *key;
    };
    [[nodiscard]] std::optional<copy_target> find_target(std::span<const iovec> runs, peer_number owner,
                                                         std::uint64_t key, attempt &otherwise) noexcept;
    [[nodiscard]] attempt ask_for_key(ucp_ep_h endpoint, peer_number owner, std::uint64_t key) noexcept;
    /// Moves each run by UCX's get or put, and ends when all have been moved.
    template <class Move> [[nodiscard]] attempt copy(std::span<const iovec> runs, peer_number owner,
                                                     std::uint64_t address, std::uint64_t key, operation &op,
                                                     Move move) noexcept;
    /// A call has returned this for the operation. @param key of a copy
    [[nodiscard]] attempt take_request(ucs_status_ptr_t started, operation &op, remote_key *key) noexcept;
    void note_end(operation &op, std::size_t bytes, ucs_status_t status) noexcept;
    /// For a while at most.
    template <class Done> void move_until(Done done) noexcept;

    static void on_failure(void *of, ucp_ep_h endpoint, ucs_status_t status);
    static void on_connected(void *request, ucs_status_t status, void *to);
    static void on_sent(void *request, ucs_status_t status, void *op);
    static void on_received(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info, void *op);
    static void on_message_sent(void *request, ucs_status_t status, void *message);
    static ucs_status_t on_question(void *self, const void *header, std::size_t header_bytes, void *data,
                                    std::size_t bytes, const ucp_am_recv_param_t *more);
    static ucs_status_t on_answer(void *self, const void *header, std::size_t header_bytes, void *data,
                                  std::size_t bytes, const ucp_am_recv_param_t *more);

    const ucx &api_;
    owned_context context_;
    owned_worker worker_;
    int descriptor_ = -1;
    std::vector<std::unique_ptr<peer>> peers_; ///< which UCX's endpoints point to
    std::vector<void *> closing_;              ///< requests of endpoints that are being closed
    std::unique_ptr<mapped_memory> exposed_;
    remote_keys keys_;
    operation *posted_ = nullptr; ///< receives that UCX has, in a list
    /// What has ended and not been taken, in a list in the order of the ends.
    operation *first_ended_ = nullptr, *last_ended_ = nullptr;
};

} // namespace lisle::fabric::network
