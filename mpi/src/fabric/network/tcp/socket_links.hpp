// SPDX-License-Identifier: Apache-2.0
// The connections of our own device over TCP: one to each peer process, made when it is first needed. Who has
// something to say connects, and greets (tcp/greeting.hpp); who was connected to then says whether the
// connection is to be used. Nothing else is said before that. Where both connect at the same time, that is
// the connection of the one with the lower address.
#pragma once

#include <chrono>
#include <memory>
#include <sys/epoll.h>
#include <vector>

#include "base/owned_descriptor.hpp"
#include "fabric/network/device/device.hpp"
#include "fabric/network/tcp/copy_requests.hpp"
#include "fabric/network/tcp/socket_link.hpp"
#include "tcp/connecting.hpp"
#include "tcp/greeting.hpp"
#include "tcp/reception.hpp"
#include "tcp/tcp_interface.hpp"

namespace lisle::fabric::network {

/// What is under way on connections, and ends or starts again with them.
struct link_contents {
    ended_operations &ended;
    posted_receives &posted;
    copy_requests &requests;
    std::vector<peer_number> &lost; ///< peers that call, and whose connection has ended
};

/// Not thread-safe.
class socket_links {
  public:
    using list = std::vector<std::unique_ptr<socket_link>>;

    /// Throws mpi_error (MPI_ERR_OTHER) if the system does not let it listen there.
    /// @param on by whose address this process is known @param listens_at that address, or any
    /// @param drops counts connections of strangers @param contents all outlive this
    socket_links(const tcp::tcp_interface &on, const tcp::socket_address &listens_at,
                 const shared_secret &secret, drop_count &drops, const link_contents &contents);
    socket_links(const socket_links &) = delete;
    socket_links &operator=(const socket_links &) = delete;
    ~socket_links() = default;
    void close() noexcept;

    /// Where this process listens.
    [[nodiscard]] const tcp::socket_address &own_address() const noexcept { return reception_.address(); }
    /// An epoll: readable when happened() has something to hear.
    [[nodiscard]] int descriptor() const noexcept { return events_.get(); }
    [[nodiscard]] const list &all() const noexcept { return links_; }

    /// The number of the peer that listens there.
    [[nodiscard]] peer_number find_peer(const tcp::socket_address &listens);
    /// The connection to a peer, if it is ready; null: `answer` is for who wants it.
    [[nodiscard]] socket_link *ready(peer_number to, operation &op, attempt &answer) noexcept {
        socket_link *const link = peers_[to].link;
        return link != nullptr && link->is_ready() ? link : begin(to, op, answer);
    }
    /// How the peer is connected to. One that cannot call is called now.
    /// @param silence after which one that calls counts as lost
    void reach(peer_number number, const tcp::way &by, std::chrono::seconds silence) noexcept;
    [[nodiscard]] bool is_connected(peer_number to) const noexcept {
        return peers_[to].link != nullptr && peers_[to].link->is_ready();
    }
    /// No connection to the peer is made any more.
    void give_up(peer_number number) noexcept;

    /// Hears of an event of the epoll. @return the connection if it is one that is ready
    [[nodiscard]] socket_link *happened(const epoll_event &event) noexcept;
    /// True if it is cheaper to try to receive from each than to ask which has something.
    [[nodiscard]] bool are_few() const noexcept {
        return ready_ != 0 && ready_ <= few_links && unfinished_ == 0 && !reception_.any_unproven();
    }
    [[nodiscard]] bool are_sealed() const noexcept { return self_.wants != tcp::protection::none; }
    /// Sets the events of epoll that a connection is watched for.
    void watch(socket_link &link, std::uint32_t events) noexcept;

    /// Ends a connection, and what is under way on it. The object stays until reap().
    void end(socket_link &link) noexcept;
    /// Ends one that does not keep to the rules.
    void drop(socket_link &link, const char *why) noexcept;
    void reap() noexcept;

  private:
    static constexpr std::size_t few_links = 2;
    using clock = std::chrono::steady_clock;
    struct peer {
        tcp::socket_address listens; ///< by which it is known
        tcp::way by{};
        std::chrono::seconds silence{}; ///< of one that calls
        socket_link *link = nullptr;    ///< the connection to be used, or to be made
        bool lost = false;              ///< it has ended, and another one is not made
        int tries = 0;                  ///< that have come to nothing
        int problem = 0;                ///< of the last one, as of errno
        clock::time_point next_try{};

        [[nodiscard]] bool calls() const noexcept { return by.is == tcp::way::kind::called; }
        [[nodiscard]] bool has_path() const noexcept { return by.by.to.exists(); }
        /// Where it is connected to.
        [[nodiscard]] tcp::socket_address address() const noexcept {
            tcp::socket_address to = has_path() ? by.by.to : listens;
            to.set_port(listens.port());
            return to;
        }
    };

    [[nodiscard]] socket_link *begin(peer_number to, operation &op, attempt &answer) noexcept;
    void connect_to(peer_number number) noexcept;
    [[nodiscard]] socket_link *add(tcp::reception::caller &&with, socket_link::stage is,
                                   std::uint32_t events);
    /// Null: there is no memory.
    [[nodiscard]] socket_link *try_add(tcp::reception::caller &&with, socket_link::stage is,
                                       std::uint32_t events) noexcept;
    void connected(socket_link &link) noexcept;
    void note_failed_try(peer &to, int problem) noexcept;
    /// Says once why a peer is not reached, with what may help.
    void report_unreached(const peer &to) noexcept;
    void hear_greeting(socket_link &link) noexcept;
    void answered(socket_link &link) noexcept;
    void hear_callers() noexcept;
    void take(tcp::reception::caller &&met) noexcept;
    void use(socket_link &link, peer_number number, tcp::greeting::side is) noexcept;
    void report_drop(const char *why) noexcept;
    /// Nothing else tells of the end of a peer that calls.
    static void watch_if_caller(const peer &from) noexcept;

    const tcp::socket_address interface_; ///< without a port
    bool reported_unreached_ = false;
    drop_count &drops_;
    const link_contents contents_;
    tcp::reception reception_;
    tcp::greeter self_;
    owned_descriptor events_; ///< epoll
    std::vector<peer> peers_;
    list links_;
    std::size_t ready_ = 0;      ///< links that are
    std::size_t unfinished_ = 0; ///< links that greet or connect
    bool any_closed_ = false;
};

} // namespace lisle::fabric::network
