// SPDX-License-Identifier: Apache-2.0
// Messages and copies over TCP sockets without a library in between: one connection to each peer process,
// made when it is first needed. The system is called as seldom as possible: a message leaves with one call,
// on its sender's thread if the kernel takes it, and one call brings all that has arrived, right where it
// belongs: a message in the buffer that stands ready, a copy in the memory that asked for it. The owner of
// memory that is read or written answers when it polls.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "fabric/network/device.hpp"
#include "fabric/network/tcp/socket_link.hpp"
#include "fabric/network/tcp/tcp_interface.hpp"

namespace lisle::fabric::network {

class socket_device final : public device {
  public:
    /// Throws mpi_error (MPI_ERR_OTHER) if the system does not let it listen there.
    socket_device(const tcp_interface &on, std::uint64_t secret);
    ~socket_device() override;

    void close() noexcept override;
    [[nodiscard]] std::vector<std::byte> address() const override;
    [[nodiscard]] peer_number add_peer(std::span<const std::byte> address) override;
    void give_up(peer_number peer) noexcept override;
    void use_memory(std::span<std::byte>) override {}
    [[nodiscard]] std::optional<std::uint64_t> expose(const void *memory, std::size_t bytes,
                                                      std::uint64_t wanted) noexcept override;
    void withdraw(std::uint64_t key) noexcept override;
    [[nodiscard]] attempt receive(std::span<std::byte> into, operation &op) noexcept override;
    [[nodiscard]] attempt send(std::span<std::byte> bytes, std::span<const std::byte> end, peer_number to,
                               operation &op) noexcept override;
    [[nodiscard]] attempt inject(std::span<const std::byte>, peer_number) noexcept override {
        return attempt::refused; // send() ends at once where it can
    }
    [[nodiscard]] attempt read(std::span<const iovec> into, peer_number from, std::uint64_t address,
                               std::uint64_t key, operation &op) noexcept override;
    [[nodiscard]] attempt write(std::span<const iovec> data, peer_number to, std::uint64_t address,
                                std::uint64_t key, operation &op) noexcept override;
    [[nodiscard]] std::size_t take_completions(std::span<completion> ended) noexcept override;
    [[nodiscard]] int descriptor() const noexcept override { return events_; }
    [[nodiscard]] bool may_wait() noexcept override;

  private:
    using clock = std::chrono::steady_clock;
    struct peer {
        socket_address listens;
        socket_link *link = nullptr; ///< the connection to be used, or to be made
        bool lost = false;           ///< it has ended, and another one is not made
        clock::time_point next_try{};
    };
    /// A copy that this process has started, until the peer has answered.
    struct request {
        operation *op = nullptr; ///< null: free
        const socket_link *by = nullptr;
        memory_runs own;
        std::size_t bytes = 0, moved = 0;
        std::uint32_t generation = 0;
        bool reads = false;
    };

    // socket_device.cpp
    void progress() noexcept;
    void happened(socket_link &link, std::uint32_t events) noexcept;
    void watch(socket_link &link, std::uint32_t events) noexcept;
    void call() noexcept;
    void break_link(socket_link &link) noexcept;
    void reap() noexcept;
    [[nodiscard]] std::uint64_t add_request(const socket_link &by, std::span<const iovec> own, bool reads,
                                            operation &op);
    [[nodiscard]] request *find_request(std::uint64_t number, const socket_link &by) noexcept;
    void end_request(std::uint64_t number, socket_link &by, bool failed) noexcept;

    // socket_greeting.cpp
    /// @return the connection to a peer, if it is ready; else the answer to who wants it
    [[nodiscard]] socket_link *ready_link(peer_number to, operation &op, attempt &answer) noexcept;
    void connect_to(std::size_t number) noexcept;
    void accept_all() noexcept;
    void connected(socket_link &link) noexcept;
    void hear_greeting(socket_link &link) noexcept;
    void answered(socket_link &link) noexcept;
    void named(socket_link &link) noexcept;
    [[nodiscard]] bool say_greeting(const socket_link &link, greeting::verdict says) noexcept;
    [[nodiscard]] std::size_t find_peer(const socket_address &listens);
    void use(socket_link &link, std::size_t number) noexcept;
    /// Ends a connection that does not keep to the rules.
    void drop(socket_link &link, const char *why) noexcept;

    // socket_sending.cpp
    /// ready_link() for a copy from or to own memory in these runs, if they are not too many.
    [[nodiscard]] socket_link *ready_link_for(std::span<const iovec> runs, peer_number peer, operation &op,
                                              attempt &answer) noexcept;
    void flush(socket_link &to) noexcept;
    void fill_wire(socket_link &to);
    void queue(socket_link &to, message_header header);
    [[nodiscard]] bool kernel_took(socket_link &to, std::size_t bytes) noexcept;

    // socket_receiving.cpp
    /// Takes what has arrived, and sends the answers.
    void receive_from(socket_link &from) noexcept;
    void receive_all(socket_link &from) noexcept;
    void receive_some(socket_link &from) noexcept;
    [[nodiscard]] std::span<const std::byte> parse(socket_link &from, std::span<const std::byte> bytes);
    void parse_spilled(socket_link &from, const posted_receive &spill, std::size_t bytes);
    [[nodiscard]] bool begin(socket_link &from);
    void begin_payload(socket_link &from, socket_link::payload what, memory_runs target);
    void arrived(socket_link &from, std::size_t bytes);
    void answer_read(socket_link &from);
    void begin_write(socket_link &from);
    [[nodiscard]] std::byte *exposed_at(const message_header &what) const noexcept;

    const std::uint64_t secret_;
    const socket_address interface_; ///< without a port
    int listener_ = -1;
    int events_ = -1; ///< epoll
    int called_ = -1; ///< readable while something has ended that no socket tells of
    bool is_called_ = false;
    bool progressing_ = false; ///< who asks hears of what ends
    socket_address own_;
    std::vector<peer> peers_;
    std::vector<std::unique_ptr<socket_link>> links_;
    std::size_t ready_ = 0;      ///< links that are
    std::size_t unfinished_ = 0; ///< links that greet or connect
    bool any_closed_ = false;
    unsigned looks_ = 0; ///< without epoll
    std::vector<posted_receive> posted_;
    std::size_t longest_ = 0; ///< message that can be received
    std::size_t paused_ = 0;  ///< links that are
    std::deque<completion> ended_;
    std::vector<request> requests_;
    std::vector<std::uint32_t> free_requests_;
    std::unordered_map<std::uint64_t, std::span<std::byte>> exposed_; ///< by key
    std::array<std::byte, std::size_t{16} << 10> nowhere_;            ///< what is dropped goes here
};

} // namespace lisle::fabric::network
