// SPDX-License-Identifier: Apache-2.0
// How packets find their way: what a routing has to say at each router. A packet that stands at a router is
// given a list of links that it may take next, with the lanes (virtual channels) that are allowed there; it
// takes the one with the most room. So a routing knows nothing of buffers, and a router nothing of
// topologies.
//
// A routing must not let packets wait for each other in a ring. Each says why its packets do not.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tile/network/wiring.hpp"

namespace lisle::tile {

/// What a routing knows of a packet, and what it notes of it.
struct journey {
    int from = 0, to = 0;    ///< cores
    int via = -1;            ///< a place that it has to go to first, in the routing's own numbers; -1: none
    std::uint8_t stage = 0;  ///< how far it is, in the routing's own numbers
    bool begun = false;      ///< begin() has been called
    bool escaped = false;    ///< it has taken a link that is a last resort
    std::uint32_t drawn = 0; ///< drawn for this packet
};

/// A link that a packet may take, and a bit for each lane of it that it may use.
struct hop {
    int exit = 0;
    std::uint32_t lanes = 0;
    bool last_resort = false; ///< only if no other has a free lane
};

/// How full the links of a router are.
class load_view {
  public:
    /// Words in the buffers at the other end of a link, as far as the router knows.
    [[nodiscard]] virtual int queued(int router, int exit) const = 0;

  protected:
    ~load_view() = default;
};

class routing {
  public:
    virtual ~routing() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    /// A lane takes a packet only when it is empty.
    [[nodiscard]] virtual bool wants_empty_lanes() const noexcept { return false; }
    /// A packet is about to leave the router of its core.
    virtual void begin(journey &, const load_view &) const {}
    /// Adds the links that a packet may take. @pre `router` is not that of its destination
    virtual void next(const journey &of, int router, std::vector<hop> &may) const = 0;
    /// The packet takes one of them.
    virtual void taken(journey &, int /*router*/, const hop &) const {}
};

/// @param lanes of each link; 0: as many as the routing needs, which is stored there. Throws
/// std::invalid_argument if they are too few, or if the topology does not have the routing.
[[nodiscard]] std::unique_ptr<routing> make_routing(const parameters &machine, const wiring &joined,
                                                    int &lanes);

/// That of the fixed ways, whatever the parameters say of routing.
[[nodiscard]] std::unique_ptr<routing> make_fixed_routing(const parameters &machine, const wiring &joined);

/// The lanes from `first` on, of which the next part begins with `last`.
[[nodiscard]] constexpr std::uint32_t lanes_between(int first, int last) noexcept {
    return static_cast<std::uint32_t>(((std::uint64_t{1} << last) - 1) & ~((std::uint64_t{1} << first) - 1));
}
/// Part `which` of so many equal parts of all lanes; the last one has the rest.
[[nodiscard]] constexpr std::uint32_t lanes_of_class(int which, int classes, int lanes) noexcept {
    return lanes_between(which * lanes / classes, (which + 1) * lanes / classes);
}

/// The cycles of the links that packets of one pair take if they are alone, with the fixed routing.
struct path_length {
    int links = 0;
    cycle cycles = 0; ///< of links and routers for a word; headers take header_cycles more at each router
};
[[nodiscard]] path_length follow(const routing &by, const wiring &joined, const parameters &machine, int from,
                                 int to, std::vector<int> *channels = nullptr);

} // namespace lisle::tile
