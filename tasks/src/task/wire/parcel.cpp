// SPDX-License-Identifier: Apache-2.0
#include "task/wire/parcel.hpp"

#include <algorithm>
#include <string>

namespace lisle::tasks {

namespace {
constexpr std::uint8_t magic = 0x5A, layout = 1;

std::uint8_t controls_of(parcel_type type) noexcept {
    switch (type) {
    case parcel_type::data:
        return 3;
    case parcel_type::request:
        return 5;
    case parcel_type::acknowledge:
        return 3;
    case parcel_type::finish:
        return 6;
    default:
        return 1;
    }
}
} // namespace

void write_header(const parcel &header, encoder &out) {
    out.number(magic);
    out.number(layout);
    out.number(static_cast<std::uint8_t>(header.type));
    out.number(header.control);
    out.number<std::uint8_t>(0);
    out.number(header.from_tile);
    out.number(header.to_tile);
    out.number(header.expression);
    out.number(header.first);
    out.number(header.end);
    out.number(header.program);
    out.number(header.address);
    out.number(header.count);
}

parcel read_header(decoder &in) {
    const auto first = in.number<std::uint8_t>(), version = in.number<std::uint8_t>();
    const auto type = in.number<std::uint8_t>(), control = in.number<std::uint8_t>(),
               zero = in.number<std::uint8_t>();
    if (first != magic || version != layout || zero != 0) {
        throw std::runtime_error{"a message that is no parcel of this version"};
    }
    if (type >= parcel_types || control >= controls_of(static_cast<parcel_type>(type))) {
        throw std::runtime_error{"a parcel of type " + std::to_string(type) + ", control " +
                                 std::to_string(control) + ", which there is not"};
    }
    parcel header;
    header.type = static_cast<parcel_type>(type);
    header.control = control;
    header.from_tile = in.number<std::uint32_t>();
    header.to_tile = in.number<std::uint32_t>();
    header.expression = in.number<std::uint32_t>();
    header.first = in.number<std::uint32_t>();
    header.end = in.number<std::uint32_t>();
    header.program = in.number<std::uint64_t>();
    header.address = in.number<std::uint64_t>();
    header.count = in.number<std::uint64_t>();
    return header;
}

tile_map::tile_map(const std::vector<std::uint64_t> &tiles_of_ranks) {
    for (std::size_t rank = 0; rank < tiles_of_ranks.size(); ++rank) {
        if (tiles_of_ranks[rank] == 0 || tiles_of_ranks[rank] > 1U << 20) {
            throw std::invalid_argument{"rank " + std::to_string(rank) + " cannot have " +
                                        std::to_string(tiles_of_ranks[rank]) + " tiles: 1 to 2^20"};
        }
        first_.push_back(first_.back() + static_cast<int>(tiles_of_ranks[rank]));
    }
}

int tile_map::rank_of(int tile) const noexcept {
    return static_cast<int>(std::ranges::upper_bound(first_, tile) - first_.begin()) - 1;
}

namespace {
int checked(const char *what, std::int64_t number, int count, bool wraps) {
    if (number >= 0 && number < count) {
        return static_cast<int>(number);
    }
    if (wraps) {
        return static_cast<int>(((number % count) + count) % count);
    }
    throw std::out_of_range{std::string{what} + " " + std::to_string(number) +
                            " is outside of the machine, which has " + std::to_string(count) +
                            " (from 0 to " + std::to_string(count - 1) + ")"};
}
} // namespace

int tile_map::checked_tile(std::int64_t tile, bool wraps) const {
    return checked("tile", tile, tiles(), wraps);
}
int tile_map::checked_rank(std::int64_t rank, bool wraps) const {
    return checked("rank", rank, ranks(), wraps);
}

} // namespace lisle::tasks
