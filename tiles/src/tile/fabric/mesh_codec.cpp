// SPDX-License-Identifier: Apache-2.0
#include "tile/fabric/mesh_codec.hpp"

#include <cstring>
#include <stdexcept>

namespace lisle::fabric {

using tile::word;

namespace {

constexpr tile::rmpi::packet_format own_format{"Lisle", 2, 1};
constexpr word own_first_mark = word{1} << 31;

// The protocol's kind that carries a message whole (protocol/packet.hpp); its flags say a type.
constexpr std::uint8_t whole_message = 0;

constexpr unsigned rank_bits = 16; // in the sender's word: below, the rank in the job; above, the one in the
                                   // communicator
constexpr word rank_mask = (word{1} << rank_bits) - 1;
constexpr unsigned type_shift = 8; // in the word of the type, above the bytes that the last word lacks

const tile::rmpi::packet_format &format_of(mesh_packets written) noexcept {
    switch (written) {
    case mesh_packets::v1:
        return tile::rmpi::format1;
    case mesh_packets::v2:
        return tile::rmpi::format2;
    case mesh_packets::v3:
        return tile::rmpi::format3;
    case mesh_packets::lisle:
    case mesh_packets::own:
        break;
    }
    return own_format;
}

packet_header header_in(std::span<const std::byte> packet) noexcept {
    packet_header header;
    std::memcpy(&header, packet.data(), sizeof header);
    return header;
}

word sender_word(int rank, const packet_header &header) noexcept {
    return static_cast<word>(header.source) << rank_bits | static_cast<word>(rank);
}

} // namespace

mesh_codec::mesh_codec(mesh_packets written, bool compares_types)
    : written_{written}, compares_types_{compares_types}, format_{format_of(written)} {}

mesh_codec::mesh_codec(const tile::extension &by) : written_{mesh_packets::own}, format_{own_format} {
    if (by.make_codec == nullptr || (own_ = by.make_codec()) == nullptr) {
        throw std::invalid_argument(
            "the extension of the machine's file has no packet codec (--packets own)");
    }
    constexpr int most = tile::packet_codec::most_words;
    format_ = {own_->name(), own_->first_words(), own_->next_words()};
    for (const int words : {format_.first_header, format_.next_header, static_cast<int>(own_->key_words())}) {
        if (words < 1 || words > most) {
            throw std::invalid_argument("the packet codec " + std::string(format_.name) + " has headers of " +
                                        std::to_string(words) + " words, and they have 1 to " +
                                        std::to_string(most));
        }
    }
}

std::string mesh_codec::refusal(const packet_header &header) const {
    if (!standard_mode_only()) {
        return {};
    }
    const std::string version = "rMPI's " + std::string(format_.name);
    if (written_ == mesh_packets::v3 && compares_types_) {
        return version + " has no word for the type of a message, which LISLE_CHECK asks for";
    }
    if (header.kind != whole_message) {
        return version + " carries standard-mode messages only, and this call needs packets of another kind "
                         "(synchronous or cancelled messages, one-sided communication): use --packets lisle";
    }
    if (header.source < 0 || static_cast<word>(header.source) > rank_mask) {
        return version + " has no room for rank " + std::to_string(header.source) + ": there are " +
               std::to_string(rank_mask + 1) + " at most";
    }
    return {};
}

word mesh_codec::number_of(std::uint64_t context) {
    const auto [place, added] = numbers_.try_emplace(context, static_cast<word>(contexts_.size()));
    if (added) {
        contexts_.push_back(context);
    }
    return place->second;
}

mesh_codec::header_words mesh_codec::first_header(int rank, std::span<const std::byte> packet,
                                                  std::size_t payload) {
    const auto own_rank = static_cast<word>(rank);
    if (written_ == mesh_packets::lisle) {
        return {{own_first_mark | own_rank, static_cast<word>(packet.size())}, format_.first_header};
    }
    if (own_ != nullptr) {
        header_words made{{}, format_.first_header};
        own_->write_first(rank, packet, std::span{made.words}.first(static_cast<std::size_t>(made.count)));
        return made;
    }
    const packet_header header = header_in(packet);
    const word source = sender_word(rank, header);
    const auto tag = static_cast<word>(header.tag);
    const word bytes = header.payload_bytes;
    constexpr word word_bytes = sizeof(word);
    const word words = bytes / word_bytes + (bytes % word_bytes != 0 ? 1 : 0);
    const word lacking = words * word_bytes - bytes;
    const word type = word{header.flags} << type_shift | lacking;
    const word context = number_of(header.context);
    switch (written_) {
    case mesh_packets::v1:
        return {{source, tag, words, type, context}, format_.first_header};
    case mesh_packets::v2: {
        const auto length = static_cast<word>(payload) + static_cast<word>(format_.first_header);
        constexpr word point_to_point = 0;
        return {{length, source, tag, words, type, context, point_to_point}, format_.first_header};
    }
    default:
        return {{source, bytes, tag, context}, format_.first_header};
    }
}

mesh_codec::header_words mesh_codec::next_header(int rank, std::span<const std::byte> packet,
                                                 std::size_t payload) const {
    if (written_ == mesh_packets::lisle) {
        return {{static_cast<word>(rank)}, format_.next_header};
    }
    if (own_ != nullptr) {
        header_words made{{}, format_.next_header};
        own_->write_next(rank, packet, std::span{made.words}.first(static_cast<std::size_t>(made.count)));
        return made;
    }
    const packet_header header = header_in(packet);
    const word source = sender_word(rank, header);
    const auto tag = static_cast<word>(header.tag);
    switch (written_) {
    case mesh_packets::v1:
        return {{source, tag}, format_.next_header};
    case mesh_packets::v2:
        return {{static_cast<word>(payload) + static_cast<word>(format_.next_header), source, tag},
                format_.next_header};
    default:
        return {{source}, format_.next_header};
    }
}

std::size_t mesh_codec::key_words() const noexcept {
    if (own_ != nullptr) {
        return own_->key_words();
    }
    return written_ == mesh_packets::v2 ? 2 : 1;
}

int mesh_codec::sender(std::span<const word> header) const noexcept {
    switch (written_) {
    case mesh_packets::lisle:
        return static_cast<int>(header[0] & ~own_first_mark);
    case mesh_packets::own:
        return own_->sender(header);
    case mesh_packets::v2:
        return static_cast<int>(header[1] & rank_mask);
    default:
        return static_cast<int>(header[0] & rank_mask);
    }
}

bool mesh_codec::is_first(std::span<const word> header, bool is_open) const noexcept {
    if (own_ != nullptr) {
        return own_->is_first(header, is_open);
    }
    return written_ == mesh_packets::lisle ? (header[0] & own_first_mark) != 0 : !is_open;
}

std::size_t mesh_codec::bytes(std::span<const word> header) const noexcept {
    const auto whole = [](word words, word type) {
        constexpr word lacking_mask = (word{1} << type_shift) - 1;
        return sizeof(packet_header) + words * sizeof(word) - (type & lacking_mask);
    };
    switch (written_) {
    case mesh_packets::v1:
        return whole(header[2], header[3]);
    case mesh_packets::v2:
        return whole(header[3], header[4]);
    case mesh_packets::v3:
        return sizeof(packet_header) + header[1];
    case mesh_packets::own:
        return own_->bytes(header);
    case mesh_packets::lisle:
        break;
    }
    return header[1];
}

void mesh_codec::restore(std::span<const word> header, std::span<word> packet) const noexcept {
    if (!standard_mode_only()) {
        return;
    }
    struct place { ///< of the words in a header; type -1: it has none
        std::size_t source, tag, context;
        int type;
    };
    constexpr place places[] = {{0, 1, 4, 3}, {1, 2, 5, 4}, {0, 2, 3, -1}};
    const place &of = places[static_cast<std::size_t>(written_) - 1];
    const word type = of.type < 0 ? 0 : header[static_cast<std::size_t>(of.type)] >> type_shift;
    const packet_header made{contexts_[header[of.context]],
                             static_cast<std::int32_t>(header[of.source] >> rank_bits),
                             static_cast<std::int32_t>(header[of.tag]),
                             whole_message,
                             static_cast<std::uint8_t>(type),
                             0,
                             static_cast<std::uint32_t>(bytes(header) - sizeof(packet_header))};
    std::memcpy(packet.data(), &made, sizeof made);
}

} // namespace lisle::fabric
