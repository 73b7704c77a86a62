// SPDX-License-Identifier: Apache-2.0
// How a packet of the protocol is written in packets of the mesh: Lisle's own way, or as rMPI's three
// versions did it (tile/rmpi/packet_format.hpp).
//
// Lisle's way carries the protocol's header as data, so it carries all that the protocol says. rMPI has
// standard-mode messages only, and its header is the envelope: it stands in the place of the protocol's
// header, and packets that do not fit it are refused. Two values that rMPI's receivers look up are packed
// into its words: the sender's word also has its rank in the communicator, and the word of the type also has
// the number of bytes that the last word lacks. A context is numbered when it is first used.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.hpp"
#include "tile/network/extension.hpp"
#include "tile/rmpi/packet_format.hpp"

namespace lisle::fabric {

/// The words of the mesh that so many bytes take.
[[nodiscard]] constexpr std::size_t words_for(std::size_t bytes) noexcept {
    return (bytes + sizeof(tile::word) - 1) / sizeof(tile::word);
}

enum class mesh_packets : std::uint8_t { lisle, v1, v2, v3, own };

/// One for all ranks of a model. Not thread-safe.
class mesh_codec {
  public:
    /// @param compares_types receivers compare the types of messages with what they take
    mesh_codec(mesh_packets written, bool compares_types = false);
    /// Packets as an extension writes them. Throws std::invalid_argument if it has no codec, or one whose
    /// headers are too long.
    explicit mesh_codec(const tile::extension &by);

    using header_words = tile::rmpi::header_words;

    [[nodiscard]] const tile::rmpi::packet_format &format() const noexcept { return format_; }
    /// Only what has been sent in standard mode, whole.
    [[nodiscard]] bool standard_mode_only() const noexcept {
        return written_ != mesh_packets::lisle && written_ != mesh_packets::own;
    }
    /// The core looks at its port itself, and is not interrupted.
    [[nodiscard]] bool polls() const noexcept { return written_ == mesh_packets::v1; }

    /// The reason why this packet cannot be written; empty: it can be.
    [[nodiscard]] std::string refusal(const packet_header &header) const;

    // ---- writing ----

    /// Words at the beginning of a packet that its first header stands for.
    [[nodiscard]] std::size_t replaced_words() const noexcept {
        return standard_mode_only() ? sizeof(packet_header) / sizeof(tile::word) : 0;
    }
    /// @param packet the whole packet @param payload words behind this header
    [[nodiscard]] header_words first_header(int rank, std::span<const std::byte> packet, std::size_t payload);
    [[nodiscard]] header_words next_header(int rank, std::span<const std::byte> packet,
                                           std::size_t payload) const;

    /// True if a core writes a packet to its end before it takes an interrupt, unless there is no room:
    /// otherwise two cores that send to each other interrupt each other at each word.
    [[nodiscard]] bool writes_whole() const noexcept { return !standard_mode_only(); }

    /// True if the handler writes a message to the buffer of the receive that is posted for it.
    [[nodiscard]] bool writes_in_place() const noexcept { return written_ == mesh_packets::v3; }

    // ---- reading ----

    /// The words of a header that name the sender, and with `is_open` tell whether the packet is the first.
    [[nodiscard]] std::size_t key_words() const noexcept;
    [[nodiscard]] int sender(std::span<const tile::word> header) const noexcept;
    /// @param is_open a packet from this sender is incomplete
    [[nodiscard]] bool is_first(std::span<const tile::word> header, bool is_open) const noexcept;
    /// Bytes of the whole packet. @param header a first one
    [[nodiscard]] std::size_t bytes(std::span<const tile::word> header) const noexcept;
    /// Writes what the header stands for to the beginning of the packet.
    void restore(std::span<const tile::word> header, std::span<tile::word> packet) const noexcept;

  private:
    [[nodiscard]] tile::word number_of(std::uint64_t context);

    mesh_packets written_;
    bool compares_types_ = false;
    std::shared_ptr<const tile::packet_codec> own_; ///< with mesh_packets::own
    tile::rmpi::packet_format format_;
    std::vector<std::uint64_t> contexts_; ///< by number
    std::unordered_map<std::uint64_t, tile::word> numbers_;
};

} // namespace lisle::fabric
