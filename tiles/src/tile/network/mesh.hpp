// SPDX-License-Identifier: Apache-2.0
// The network of the thesis's tile processor, cycle by cycle: a router and a port for each tile, joined by
// 32-bit links in both directions. A link carries one word in a cycle; a word crosses one link in a cycle. A
// packet follows its header as a worm: it holds each link from its header to its last word, and stops where a
// buffer is full.
//
// A step looks at the buffers as they are when the cycle begins, decides all moves, and only then makes them:
// so the order in which routers are visited has no effect. A router in which nothing moves is left alone
// until something changes that could stop it from standing still: a word arrives, or one that lay ahead is
// taken.
//
// The last hop goes from the neighbour's router into the port's input buffer, past the buffers of the
// destination's own router. So neighbours can hold port_output_words + port_input_words between them, and
// each further hop adds link_words. The header is removed on the way and takes no place in the input buffer.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tile/network/network.hpp"
#include "tile/network/packet_clock.hpp"
#include "tile/network/word_queue.hpp"

namespace lisle::tile {

/// The counts of the mesh at one tile.
struct tile_traffic {
    std::array<std::int64_t, sides>
        words_out{}; ///< headers included; side::core: payload to the tile's own core
    std::int64_t packets_sent = 0;
    std::int64_t packets_received = 0;
};

/// Not thread-safe: one thread runs a whole model.
class mesh final : public network {
  public:
    explicit mesh(const parameters &machine);

    [[nodiscard]] bool has_room(int tile) const noexcept override {
        return at(tile).from[index(side::core)].words.size() < port_output_words_;
    }
    void write(int tile, word written, cycle now) override;
    word read(int tile) override;

    [[nodiscard]] bool active() const noexcept override { return !awake_.empty(); }
    void step(cycle now) override;

    [[nodiscard]] std::string described() const override { return "mesh"; }
    [[nodiscard]] port_traffic port(int tile) const noexcept override;
    [[nodiscard]] std::vector<link_traffic> links() const override;
    [[nodiscard]] const tile_traffic &traffic(int tile) const noexcept { return at(tile).traffic; }
    [[nodiscard]] int words_under_way() const noexcept override;
    [[nodiscard]] int stopped_by(int tile) const noexcept override;
    void measure_latencies() override;

  private:
    static constexpr std::int8_t none = -1;

    /// Where words come into a router: from a neighbour, or from the core.
    struct entrance {
        word_queue words;
        cycle ready = 0;         ///< the header in front goes on at this cycle at the earliest
        int destination = 0;     ///< of the packet whose words are in front
        std::int8_t exit = none; ///< the side that the packet leaves by, once its header has been let through
        std::int8_t wanted = none; ///< the side that the header in front asks for
        std::uint8_t left = 0;     ///< words of the packet behind its header that have not left
    };
    struct router {
        std::array<entrance, sides> from{};
        word_queue port_input;
        std::array<std::int8_t, sides> owner{none, none, none, none, none}; ///< of each exit: the entrance;
                                                                            ///< of the core's: the last side
        std::array<std::int8_t, sides> turn{};  ///< the side after which the search for the next owner begins
        std::array<std::int8_t, 4> candidate{}; ///< for the last hop by an exit: which entrance
        std::uint8_t claims = 0;                ///< sides that ask for the core's port in this step
        bool awake = false;
        tile_traffic traffic;
    };
    struct move {
        int tile;
        side from;
    };

    [[nodiscard]] router &at(int tile) noexcept { return routers_[static_cast<std::size_t>(tile)]; }
    [[nodiscard]] const router &at(int tile) const noexcept {
        return routers_[static_cast<std::size_t>(tile)];
    }
    void wake(int tile) {
        if (!at(tile).awake) {
            at(tile).awake = true;
            awake_.push_back(tile);
        }
    }
    void wake_neighbours(int tile);
    void push(int tile, side entered, word pushed, cycle ready);
    void look_at_header(int tile, entrance &of, cycle ready) const;
    void plan(int tile, cycle now);
    void plan_header(int tile, side exit, unsigned asking);
    void settle_claims();
    void carry_out(const move &moved, cycle now);
    [[nodiscard]] bool ends_beyond(int tile, const entrance &of, side exit) const noexcept;
    [[nodiscard]] bool room_beyond(int tile, const entrance &of, side exit) const noexcept;
    static std::int8_t next_in_turn(unsigned asking, std::int8_t after) noexcept;

    int port_output_words_;
    int port_input_words_;
    int link_words_;
    cycle header_cycles_;
    std::vector<router> routers_;
    std::vector<int> awake_;
    std::vector<int> looking_; ///< those awake when the step began
    std::vector<move> moves_;
    std::vector<int> claimed_;
    std::unique_ptr<packet_clock> clock_; ///< null: latencies are not measured
};

} // namespace lisle::tile
