// SPDX-License-Identifier: Apache-2.0
// Parts of collectives between tiles that know each other's role: single packets without an envelope, that a
// tile can forward while the rest of the data is still on its way. A header of one word tells them from
// messages.
#pragma once

#include <cstddef>
#include <span>

#include "tile/network/route_header.hpp"

namespace lisle::tile::rmpi {

/// The one header word of a part: bit 31, the sender's rank from bit 5 on, the number of words behind it.
inline constexpr word part_mark = word{1} << 31;
inline constexpr std::size_t most_part_words = most_payload_words - 1;

[[nodiscard]] constexpr word make_part_header(int sender, std::size_t words) noexcept {
    return part_mark | static_cast<word>(sender) << 5 | static_cast<word>(words);
}
[[nodiscard]] constexpr std::size_t part_sender(word header) noexcept {
    return (header & ~part_mark) >> 5;
}
[[nodiscard]] constexpr std::size_t part_words(word header) noexcept {
    return header & 31U;
}

class stream_port {
  public:
    /// Between these two the core looks at its port itself, without interrupts.
    virtual void begin_streams() = 0;
    virtual void end_streams() = 0;
    /// The next part from a rank. @return its words @param into room for most_part_words
    virtual std::size_t receive_part(int from, std::span<word> into) = 0;
    /// @param part at most most_part_words
    virtual void send_part(int to, std::span<const word> part) = 0;

  protected:
    ~stream_port() = default;
};

} // namespace lisle::tile::rmpi
