// SPDX-License-Identifier: Apache-2.0
// A connection between the speakers of two nodes (standstill_speaker.hpp) and what travels on it. Between
// machines of one kind that run the same library, as the network's frames do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/owned_descriptor.hpp"
#include "diagnosis/standstill_vote.hpp"
#include "tcp/socket_address.hpp"

namespace lisle {

/// A socket of TCP.
class open_socket : public owned_descriptor {
  public:
    using owned_descriptor::owned_descriptor;

    /// Listens on some port of an interface; none if the system allows no such port.
    [[nodiscard]] static open_socket listen_at(tcp::socket_address interface) noexcept;
    /// Waits until there is a connection; none if there can be none.
    [[nodiscard]] static open_socket connect_to(const tcp::socket_address &to) noexcept;
};

/// What a rank has said, if there is something to say of it.
struct spoken_wait {
    std::int32_t rank; ///< of the job
    std::uint32_t state;
    wait_note note;
};

struct speaker_message {
    std::uint64_t secret; ///< the job's
    std::uint32_t version;
    std::int32_t node;      ///< of the sender
    teller_request request; ///< from the teller
    std::uint32_t round;    ///< goes with it
    node_statement said;    ///< to the teller
    std::uint64_t waits;    ///< so many spoken_wait follow
    static constexpr std::uint32_t current_version = 1;
};

/// One thread uses it.
class speaker_link {
  public:
    struct heard {
        speaker_message head;
        std::vector<spoken_wait> waits;
    };

    explicit speaker_link(open_socket connected) noexcept : socket_{std::move(connected)} {}

    [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
    /// Waits until the system has taken it. False: the connection has ended.
    bool send(const speaker_message &head, std::span<const spoken_wait> waits = {}) noexcept;
    /// Takes in what has arrived. False: the connection has ended.
    bool take_in();
    /// The next message that has arrived whole. @param most_waits what is more breaks the connection
    [[nodiscard]] std::optional<heard> next(std::uint64_t secret, std::size_t most_waits);
    [[nodiscard]] bool broken() const noexcept { return !socket_; }

  private:
    open_socket socket_;
    std::vector<std::byte> arrived_;
};

} // namespace lisle
