// SPDX-License-Identifier: Apache-2.0
// Blocking point-to-point messages of one rank in rMPI: the part that all versions share. A version adds its
// way of receiving.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tile/rmpi/packet_format.hpp"
#include "tile/tile_array.hpp"

namespace lisle::tile::rmpi {

/// A wildcard for a source or a tag.
inline constexpr int any = -1;

/// The tile of each rank.
using rank_map = std::vector<int>;

struct receive_status {
    int source = 0;
    int tag = 0;
    std::uint32_t words = 0; ///< of the message; more than the buffer's if it was truncated
    bool truncated = false;
};

/// The counts of a rank.
struct endpoint_counts {
    std::int64_t copies = 0;          ///< messages copied once more after their arrival
    std::int64_t posted_matches = 0;  ///< messages that found their receive posted
    std::int64_t list_steps = 0;      ///< elements looked at to find messages
    std::int64_t most_unexpected = 0; ///< the most words held for unexpected messages
};

class endpoint {
  public:
    endpoint(core &here, const rank_map &tiles, int rank, const packet_format &format)
        : here_{here}, tiles_{tiles}, rank_{rank}, format_{format} {}
    virtual ~endpoint() = default;
    endpoint(const endpoint &) = delete;
    endpoint &operator=(const endpoint &) = delete;

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return static_cast<int>(tiles_.size()); }
    [[nodiscard]] const rank_map &tiles() const noexcept { return tiles_; }
    [[nodiscard]] core &here() const noexcept { return here_; }
    [[nodiscard]] const endpoint_counts &counts() const noexcept { return counts_; }

    /// Standard-mode blocking send: returns when the last word has left for the network.
    void send(int to, int tag, int context, std::span<const word> payload);
    /// Blocking receive. @param from, tag may be `any`
    virtual receive_status receive(int from, int tag, int context, std::span<word> into) = 0;

  protected:
    /// Keeps a message of the rank to itself where a receive finds it.
    virtual void keep_own(const envelope &of, std::span<const word> payload) = 0;
    [[nodiscard]] int tile_of(int rank) const noexcept {
        return rank == any ? -1 : tiles_[static_cast<std::size_t>(rank)];
    }
    void copy(std::span<const word> from, std::span<word> to);

    core &here_;
    const rank_map &tiles_;
    int rank_;
    packet_format format_;
    endpoint_counts counts_;
};

/// Sends one packet: the hardware's header, the library's, and payload. @param whole see core::send @pre
/// together at most 31 words of payload
void send_packet(core &here, int to_tile, std::span<const word> header, std::span<const word> payload,
                 cycle each, bool whole = false);

} // namespace lisle::tile::rmpi
