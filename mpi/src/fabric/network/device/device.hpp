// SPDX-License-Identifier: Apache-2.0
// What the network fabric asks of one network interface: messages to peers, copies between their memories,
// and one queue of what has ended. Three kinds are there: libfabric's providers (ofi/libfabric_device.hpp),
// UCX (ucx/ucx_device.hpp), and TCP sockets driven by ourselves (tcp/socket_device.hpp). A device knows
// nothing of ranks or frames. Thread-safety: none, but for dropped(). Who uses it takes turns
// (network_fabric's lock).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <sys/uio.h>
#include <utility>
#include <vector>

#include "tcp/paths.hpp"
#include "tcp/socket_address.hpp"

namespace lisle::fabric::network {

/// What a device hands back at the end of an operation. Room for libfabric stands first, as it demands.
struct operation {
    enum class kind : std::uint8_t { receive, send, copy };
    std::array<void *, 8> provider_room{};
    kind what;
    bool may_be_held = false; ///< a send that may wait for further ones to the same peer, see send_held()

  protected:
    explicit operation(kind what) noexcept : what{what} {}
    ~operation() = default;
};

enum class attempt : std::uint8_t {
    done,    ///< started (or, for inject, ended)
    ended,   ///< a send that has ended already: the bytes may go, and no completion follows
    full,    ///< no room now: poll, and try again
    refused, ///< the peer has failed, or the device cannot do it
};

/// The end of one operation.
struct completion {
    operation *of;
    std::size_t bytes; ///< of a receive
    bool failed;
};

/// A peer in the terms of one device.
using peer_number = std::uint64_t;
inline constexpr peer_number no_peer = ~peer_number{0};

/// What a device is and can do; does not change.
struct device_traits {
    std::string provider;                  ///< for messages: "net"
    std::string interface;                 ///< the same: "eth0"
    tcp::socket_address pulse_interface{}; ///< where pulses go by, see pulse.hpp
    tcp::socket_address own_address{};     ///< by which the machine is known, where it has one of TCP
    std::size_t inject_bytes = 0;          ///< longest message that may go when inject() returns; 0: none
    std::size_t most_pieces =
        0; ///< of own memory in one copy; 0: it copies only what is registered on both sides
    bool uses_addresses =
        true; ///< remote addresses are the owner's, not distances from the registered memory's beginning
    bool takes_keys = true;        ///< keys are those that were asked for
    bool delivers_in_order = true; ///< messages of a peer end in the order in which they were sent
    std::size_t copy_bytes = std::size_t{128} << 10; ///< a long copy is best cut into pieces of so many
    std::size_t copies_at_a_time = 16;               ///< so many of them are enough to keep it busy
};

/// Counts what is dropped. Any thread may ask.
class drop_count {
  public:
    /// True: the first, which is to be reported.
    [[nodiscard]] bool add() noexcept { return count_.fetch_add(1, std::memory_order_relaxed) == 0; }
    [[nodiscard]] std::uint64_t value() const noexcept { return count_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> count_{0}; ///< relaxed: only counted
};

class device {
  public:
    device(const device &) = delete;
    device &operator=(const device &) = delete;
    virtual ~device() = default;

    [[nodiscard]] const device_traits &traits() const noexcept { return traits_; }
    /// Connections and the like that were dropped since they were not a peer's.
    [[nodiscard]] std::uint64_t dropped() const noexcept { return drops_.value(); }
    /// True if bytes have come or gone since the last call, where the device knows: what a copy needs may
    /// then be over soon, though nothing has ended yet.
    [[nodiscard]] bool has_moved() noexcept { return std::exchange(moved_, false); }

    /// Ends all that is under way without a word; afterwards only traits() and dropped() may be called.
    virtual void close() noexcept = 0;

    /// What peers are told, for their add_peer().
    [[nodiscard]] virtual std::vector<std::byte> address() const = 0;
    /// @return the peer's number for the calls below; no_peer if the device does not take the address
    [[nodiscard]] virtual peer_number add_peer(std::span<const std::byte> address) = 0;
    /// Says how the peer is to be connected to, where the device can choose. One that is to be called is
    /// called now; the end of a connection from one that calls is told, see take_lost(), also when it is
    /// silent.
    virtual void reach(peer_number /*peer*/, const tcp::way & /*by*/,
                       std::chrono::seconds /*silence*/) noexcept {}
    /// Of a peer that reach() was called for: whether they are connected, as far as the device knows.
    [[nodiscard]] virtual bool is_connected(peer_number /*peer*/) const noexcept { return true; }
    /// Peers that call, and whose connection has ended since the last call.
    [[nodiscard]] std::vector<peer_number> take_lost() noexcept { return std::exchange(lost_, {}); }
    [[nodiscard]] bool any_lost() const noexcept { return !lost_.empty(); }
    /// The peer's machine is silent: what there is of it ends, with errors.
    virtual void give_up(peer_number peer) noexcept = 0;

    /// Memory that the device will send from and receive to, told before. Throws mpi_error if it refuses.
    virtual void use_memory(std::span<std::byte> memory) = 0;
    /// Memory that peers may copy from and to until it is withdrawn. @return its key, `wanted` where traits()
    /// say so; nothing if the device refuses
    [[nodiscard]] virtual std::optional<std::uint64_t> expose(const void *memory, std::size_t bytes,
                                                              std::uint64_t wanted) noexcept = 0;
    virtual void withdraw(std::uint64_t key) noexcept = 0;

    [[nodiscard]] virtual attempt receive(std::span<std::byte> into, operation &op) noexcept = 0;
    /// Sends one message: `bytes`, which stay until the operation ends, and what `end` holds, which may go
    /// when the call returns. There is room for that behind `bytes`, where it is copied if it does not leave
    /// at once; if the answer is neither `done` nor `ended` it may not have been.
    [[nodiscard]] virtual attempt send(std::span<std::byte> bytes, std::span<const std::byte> end,
                                       peer_number to, operation &op) noexcept = 0;
    /// Sends the messages that wait for further ones. take_completions() and may_wait() do, too.
    virtual void send_held() noexcept {}
    [[nodiscard]] virtual bool holds_any() const noexcept { return false; }
    /// Sends at most traits().inject_bytes; they may go when the call returns.
    [[nodiscard]] virtual attempt inject(std::span<const std::byte> bytes, peer_number to) noexcept = 0;
    /// Copies between own memory, in at most traits().most_pieces, and one run of a peer's.
    [[nodiscard]] virtual attempt read(std::span<const iovec> into, peer_number from, std::uint64_t address,
                                       std::uint64_t key, operation &op) noexcept = 0;
    /// The same; has ended when the bytes are there, not only on their way.
    [[nodiscard]] virtual attempt write(std::span<const iovec> data, peer_number to, std::uint64_t address,
                                        std::uint64_t key, operation &op) noexcept = 0;

    /// Moves things on. @return how many operations have ended since the last call, at most as many as there
    /// is room for
    [[nodiscard]] virtual std::size_t take_completions(std::span<completion> ended) noexcept = 0;

    /// Becomes readable when there is something for take_completions(); -1: the device has none.
    [[nodiscard]] virtual int descriptor() const noexcept = 0;
    /// True if the descriptor may be waited for; false: something has ended already.
    [[nodiscard]] virtual bool may_wait() noexcept = 0;

  protected:
    explicit device(device_traits traits) noexcept : traits_{std::move(traits)} {}
    [[nodiscard]] drop_count &drops() noexcept { return drops_; }
    void note_moved() noexcept { moved_ = true; }
    /// For who notices ends: where to note those that take_lost() tells of.
    [[nodiscard]] std::vector<peer_number> &lost() noexcept { return lost_; }

  private:
    const device_traits traits_;
    bool moved_ = false;
    std::vector<peer_number> lost_;
    drop_count drops_;
};

} // namespace lisle::fabric::network
