// SPDX-License-Identifier: Apache-2.0
// A packet codec of one's own: all headers have one word. That of a packet's first part says the sender and
// the length, where Lisle's own takes two words; so a message of up to 30 words takes a word less on each
// link.
//
//     c++ -std=c++20 -O2 -shared -fPIC $(pkg-config --cflags lisle-tiles) short_headers.cpp -o
//     short_headers.so
#include <string>

#include "tile/network/extension.hpp"

namespace {

using namespace lisle::tile;

class short_headers final : public packet_codec {
  public:
    [[nodiscard]] const char *name() const noexcept override { return "short"; }
    [[nodiscard]] int first_words() const noexcept override { return 1; }
    [[nodiscard]] int next_words() const noexcept override { return 1; }

    // Bit 31: a first part. Bits 16 to 30: bytes, of which a packet of Lisle's has 4 KiB and its header at
    // most. Bits 0 to 15: the sender.
    void write_first(int rank, std::span<const std::byte> packet, std::span<word> header) const override {
        header[0] = first_mark | static_cast<word>(packet.size()) << rank_bits | static_cast<word>(rank);
    }
    void write_next(int rank, std::span<const std::byte>, std::span<word> header) const override {
        header[0] = static_cast<word>(rank);
    }
    [[nodiscard]] int sender(std::span<const word> key) const noexcept override {
        return static_cast<int>(key[0] & ((word{1} << rank_bits) - 1));
    }
    [[nodiscard]] bool is_first(std::span<const word> key, bool) const noexcept override {
        return (key[0] & first_mark) != 0;
    }
    [[nodiscard]] std::size_t bytes(std::span<const word> first) const noexcept override {
        return (first[0] & ~first_mark) >> rank_bits;
    }

  private:
    static constexpr word first_mark = word{1} << 31;
    static constexpr unsigned rank_bits = 16;
};

std::unique_ptr<packet_codec> make() {
    return std::make_unique<short_headers>();
}

} // namespace

extern "C" const lisle::tile::extension lisle_tile_extension{.make_codec = make};
