// SPDX-License-Identifier: Apache-2.0
// Packets that are under way in a network of any topology, and the ports where cores read them.
//
// A network with several lanes or several ways may deliver packets of one sender in another order than that
// in which they were written. The port of the receiver puts them in order: it keeps what comes too early in a
// memory of its own, which never refuses. What comes in its turn waits in the network if the core does not
// read, as many words as the port's input buffer has are kept besides.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "tile/network/network.hpp"
#include "tile/network/routing.hpp"

namespace lisle::tile {

struct packet {
    journey way;
    std::uint32_t number = 0; ///< among those of this sender to this receiver
    std::uint8_t words = 0;   ///< payload
    std::uint8_t written = 0, arrived = 0, read = 0;
    bool early = false;       ///< it came before its turn
    std::uint8_t network = 0; ///< of several
    cycle begun = 0;          ///< when its latency begins
    std::array<word, most_payload_words> payload{};
};

/// The packets of a network by number. Numbers are used again.
class packet_store {
  public:
    /// A packet that a core begins to write.
    int make(int from, int to, int words, cycle begun, std::uint32_t drawn);
    void release(int number) { free_.push_back(number); }
    [[nodiscard]] packet &operator[](int number) noexcept {
        return packets_[static_cast<std::size_t>(number)];
    }
    [[nodiscard]] const packet &operator[](int number) const noexcept {
        return packets_[static_cast<std::size_t>(number)];
    }

  private:
    std::deque<packet> packets_;
    std::vector<int> free_;
    std::unordered_map<std::uint64_t, std::uint32_t> written_; ///< packets by pair
};

/// The input side of one core's port.
class receiving_port {
  public:
    /// A packet's header has come.
    void begin(packet_store &all, int number);
    /// True if there is room for the packet's next word.
    [[nodiscard]] bool has_room(const packet &of, int input_words) const noexcept {
        return of.early || of.arrived - of.read < input_words;
    }
    /// The next word of a packet has come.
    void word_arrived(packet_store &all, int number) noexcept;
    /// Takes the next word. @pre waiting() != 0 @return and the packet whose last word this was, or -1
    struct taken {
        word value;
        int ended;
    };
    taken read(packet_store &all);

    /// Words that the core can read: of the packet whose turn it is.
    [[nodiscard]] int waiting(const packet_store &all) const noexcept {
        return in_turn_.empty() ? 0 : all[in_turn_.front()].arrived - all[in_turn_.front()].read;
    }
    /// The packet that the core reads, or -1.
    [[nodiscard]] int reading() const noexcept { return in_turn_.empty() ? -1 : in_turn_.front(); }
    /// Words of all packets that have come and have not been read.
    [[nodiscard]] int held(const packet_store &all) const noexcept;
    [[nodiscard]] const port_traffic &traffic() const noexcept { return traffic_; }
    [[nodiscard]] port_traffic &traffic() noexcept { return traffic_; }

  private:
    std::deque<int> in_turn_;
    std::unordered_map<int, std::uint32_t> expected_;  ///< by sender: the number of its next packet
    std::unordered_map<std::uint64_t, int> too_early_; ///< by sender and number
    port_traffic traffic_;
};

/// The packets between some cores, and the ports where these read them. Networks that join the same cores
/// have them in common: so a port puts the packets of one sender in order, by whichever network they come.
struct core_ports {
    explicit core_ports(int cores) : at(static_cast<std::size_t>(cores)) {}
    packet_store packets;
    std::vector<receiving_port> at; ///< by core
};

} // namespace lisle::tile
