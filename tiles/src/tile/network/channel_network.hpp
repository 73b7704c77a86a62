// SPDX-License-Identifier: Apache-2.0
// Routers with virtual channels (lanes), cycle by cycle, in any topology and with any routing.
//
// A packet travels as words, its header first. At each router the header is given a lane of one of the links
// that the routing allows, or a way into the core's port; the other words follow through the same lanes. In a
// cycle, of each entrance and of each exit of a router one word moves (more where links are wider); exits and
// entrances choose in turn, the exits first (as iSLIP does in one round). A word is sent only if the buffer
// at the other end has room for it, which the sender knows by credits that come back when a word leaves that
// buffer.
//
// What happens at a router in a cycle depends on its own state alone: words and credits reach others by the
// next cycle at the earliest. So the order in which routers are visited has no effect. A router in which
// nothing can move is left alone until a word or a credit arrives, or a core reads or writes.
//
// A word that is written in cycle t over h links of one cycle each is in the last router in cycle t + h, and
// can be read in the cycle after it.
#pragma once

#include <vector>

#include "tile/network/lane_buffer.hpp"
#include "tile/network/network.hpp"
#include "tile/network/packets.hpp"
#include "tile/network/random.hpp"
#include "tile/network/routing.hpp"

namespace lisle::tile {

class channel_network final : public network, private load_view {
  public:
    /// Throws std::invalid_argument if the parameters do not fit each other.
    explicit channel_network(const parameters &machine)
        : channel_network{machine, std::make_shared<core_ports>(machine.tiles()), 0} {}
    /// @param ports that it has in common with other networks @param which of them it is
    channel_network(const parameters &machine, std::shared_ptr<core_ports> ports, int which);

    [[nodiscard]] bool has_room(int tile) const noexcept override;
    void write(int tile, word written, cycle now) override;
    word read(int tile) override;
    [[nodiscard]] bool active() const noexcept override { return !awake_.empty() || under_way_ != 0; }
    void step(cycle now) override;

    [[nodiscard]] std::string described() const override;
    [[nodiscard]] port_traffic port(int tile) const noexcept override;
    [[nodiscard]] std::vector<link_traffic> links() const override;
    [[nodiscard]] int words_under_way() const noexcept override;
    [[nodiscard]] int stopped_by(int tile) const noexcept override;

  private:
    static constexpr int none = -1;

    /// A virtual channel at the end of a link, or one of those between a core and its router.
    struct lane {
        lane_buffer words;
        int exit = none;      ///< that the packet in front has been given
        int exit_lane = none; ///< and the lane of it
    };
    /// A lane of an exit: who sends on it, and for how many words there is room at its other end.
    struct exit_lane {
        int owner = none; ///< lane of this router
        int credits = 0;
    };
    struct exit_state {
        int number = none; ///< of the channel; none: it leads to a core
        int core = none;   ///< or to none
        cycle free_at = 0; ///< by the clock of the link
        int sent = 0;      ///< words since the clock's last beat
        int turn = 0;      ///< lane of the router behind which the search for the next word begins
        std::int64_t words = 0;
        std::vector<exit_lane> lanes;
    };
    struct router {
        std::vector<lane> lanes;       ///< entrance by entrance: channels, then cores
        std::vector<exit_state> exits; ///< channels, then cores
        std::vector<int> turns;        ///< by entrance: the exit behind which the search begins
        int channels = 0;              ///< entrances that are channels
        int widest = 1;                ///< words that a link here carries at once
        int first = 0;                 ///< the lane that asks for an exit first
        bool awake = false;
    };
    /// What a core has begun to write.
    struct writing {
        int packet = none;
        int lane = 0; ///< of the router
        int left = 0; ///< words
    };
    /// A word or, with packet none, a credit on its way.
    struct event {
        int router, lane; ///< lane: of the router; of a credit: lane of the exit
        int exit;         ///< of a credit
        flit moved;
    };

    [[nodiscard]] router &at(int number) noexcept { return routers_[static_cast<std::size_t>(number)]; }
    [[nodiscard]] const router &at(int number) const noexcept {
        return routers_[static_cast<std::size_t>(number)];
    }
    [[nodiscard]] const channel &channel_of(int number) const noexcept {
        return joined_.channels()[static_cast<std::size_t>(number)];
    }
    [[nodiscard]] int queued(int router, int exit) const override;
    [[nodiscard]] const lane &lane_of_core(int core, int which) const noexcept;
    [[nodiscard]] int lane_for_next(int core) const noexcept;
    void begin_packet(int core, word header, cycle now);
    void make_router(int number);
    void wake(int number);
    void schedule(cycle cycles, const event &what);
    void take_events(cycle now);

    // What a router does in a cycle (channel_router.cpp).
    [[nodiscard]] bool work(int number, cycle now);
    [[nodiscard]] bool give_exits(int number, cycle now);
    [[nodiscard]] bool give_exit(int number, int which);
    [[nodiscard]] int free_lane(const exit_state &of, std::uint32_t allowed) const noexcept;
    [[nodiscard]] bool move_words(int number, cycle now);
    [[nodiscard]] bool waits_for_time(const router &here, cycle now) const noexcept;
    [[nodiscard]] bool can_move(const router &here, const lane &from, cycle now) const noexcept;
    void move(int number, int which, cycle now);
    void deliver(int core, const flit &moved, cycle now);

    parameters machine_;
    wiring joined_;
    int lanes_;
    std::unique_ptr<routing> routing_;
    random_numbers random_;
    std::shared_ptr<core_ports> shared_;
    std::uint8_t which_; ///< of the networks that have these ports
    packet_store &packets_;
    std::vector<receiving_port> &ports_; ///< by core
    std::vector<router> routers_;
    std::vector<writing> writing_; ///< by core
    std::vector<int> first_lanes_; ///< by core: of its entrance
    std::vector<int> awake_, looking_;
    std::vector<std::vector<event>> events_; ///< by cycle, going round
    cycle now_ = 0;
    int under_way_ = 0; ///< events
    // Of the router that works.
    std::vector<int> granted_; ///< by exit: the lane that it would take a word of
    std::vector<int> chosen_;  ///< by entrance: the exit that it takes, as the distance from its turn
    std::vector<hop> may_;
};

} // namespace lisle::tile
