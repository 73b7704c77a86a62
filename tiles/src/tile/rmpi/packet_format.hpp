// SPDX-License-Identifier: Apache-2.0
// How rMPI's three versions cut a message into packets: each packet begins with a header of the library's
// own, a long one in the first packet and a short one in the others. (Psota, rMPI, sections 3.2.1, 3.3.1
// and 4.3.3.)
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tile/network/route_header.hpp"

namespace lisle::tile::rmpi {

/// The envelope of a message.
struct envelope {
    int source = 0; ///< a rank
    int tag = 0;
    int context = 0; ///< of the communicator
    std::uint32_t words = 0;
};

struct packet_format {
    std::string_view name;
    int first_header; ///< words
    int next_header;

    [[nodiscard]] constexpr std::int64_t first_payload(std::int64_t left) const noexcept {
        return std::min<std::int64_t>(left, most_payload_words - first_header);
    }
    [[nodiscard]] constexpr std::int64_t next_payload(std::int64_t left) const noexcept {
        return std::min<std::int64_t>(left, most_payload_words - next_header);
    }
};

inline constexpr packet_format native{"GDN", 0, 0};
inline constexpr packet_format format1{"V1", 5, 2};
inline constexpr packet_format format2{"V2", 7, 3};
inline constexpr packet_format format3{"V3", 4, 1};

/// The words of a message on the wire, the hardware's headers included.
struct wire_count {
    std::int64_t packets;
    std::int64_t words;
    friend constexpr bool operator==(const wire_count &, const wire_count &) = default;
};

[[nodiscard]] constexpr wire_count count_on_wire(const packet_format &format, std::int64_t payload) noexcept {
    std::int64_t left = payload - format.first_payload(payload);
    wire_count count{1, 1 + format.first_header + payload};
    for (; left > 0; left -= format.next_payload(left)) {
        ++count.packets;
        count.words += 1 + format.next_header;
    }
    return count;
}

/// The words of a header. V1: source, tag, size, type, communicator; then source, tag. V2: packet's length,
/// source, tag, size, type, communicator, kind of message; then length, source, tag. V3: source, size in
/// bytes, tag, communicator; then source.
struct header_words {
    std::array<word, 7> words;
    int count;
    [[nodiscard]] std::span<const word> view() const noexcept {
        return {words.data(), static_cast<std::size_t>(count)};
    }
};

[[nodiscard]] constexpr header_words make_first_header(const packet_format &format,
                                                       const envelope &of) noexcept {
    const auto source = static_cast<word>(of.source);
    const auto tag = static_cast<word>(of.tag);
    const auto context = static_cast<word>(of.context);
    constexpr word type = 1; // words: all that V1 and V2 send here
    constexpr word kind = 0; // point to point
    switch (format.first_header) {
    case format1.first_header:
        return {{source, tag, of.words, type, context}, 5};
    case format2.first_header: {
        const auto length = static_cast<word>(format.first_payload(of.words) + format.first_header);
        return {{length, source, tag, of.words, type, context, kind}, 7};
    }
    case format3.first_header:
        return {{source, of.words * 4, tag, context}, 4};
    default:
        return {{}, 0};
    }
}

[[nodiscard]] constexpr header_words make_next_header(const packet_format &format, const envelope &of,
                                                      std::int64_t payload) noexcept {
    const auto source = static_cast<word>(of.source);
    const auto tag = static_cast<word>(of.tag);
    switch (format.next_header) {
    case format1.next_header:
        return {{source, tag}, 2};
    case format2.next_header:
        return {{static_cast<word>(payload + format.next_header), source, tag}, 3};
    case format3.next_header:
        return {{source}, 1};
    default:
        return {{}, 0};
    }
}

} // namespace lisle::tile::rmpi
