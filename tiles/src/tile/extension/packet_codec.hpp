// SPDX-License-Identifier: Apache-2.0
// How a packet of Lisle's protocol is written in packets of a mesh, which have 1 to 31 words: an interface
// for ways besides Lisle's own. Each packet of the mesh begins with words of the codec's; the others are the
// data, in order. A sender writes one packet after the other, so a receiver has one at most of each sender
// that is not complete. All of a job's ranks use the same object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lisle::tile {

class packet_codec {
  public:
    using word = std::uint32_t;
    static constexpr int most_words = 7; ///< of a header

    virtual ~packet_codec() = default;

    [[nodiscard]] virtual const char *name() const noexcept = 0;
    /// Words in front of the first part of a packet, and in front of each other part: 1 to most_words.
    [[nodiscard]] virtual int first_words() const noexcept = 0;
    [[nodiscard]] virtual int next_words() const noexcept = 0;

    /// Writes what stands in front of the first part. @param rank of the job, which sends
    /// @param packet all of it
    virtual void write_first(int rank, std::span<const std::byte> packet, std::span<word> header) const = 0;
    virtual void write_next(int rank, std::span<const std::byte> packet, std::span<word> header) const = 0;

    /// How many words of a header a receiver reads before it asks for what they say: sender() and is_first().
    [[nodiscard]] virtual std::size_t key_words() const noexcept { return 1; }
    [[nodiscard]] virtual int sender(std::span<const word> key) const noexcept = 0;
    /// @param is_open a packet of this sender is not complete
    [[nodiscard]] virtual bool is_first(std::span<const word> key, bool is_open) const noexcept = 0;
    /// The bytes of the whole packet, as its first header says.
    [[nodiscard]] virtual std::size_t bytes(std::span<const word> first) const noexcept = 0;
};

} // namespace lisle::tile
