// SPDX-License-Identifier: Apache-2.0
// The flow grain of a network: messages are flows of bytes over the links of their fixed way, and no packet
// is looked at. Each flow has a rate at any time, and the rates are fair: none can grow but at the cost of a
// smaller one (max-min fairness). They change when a flow begins or ends, for those flows alone that share
// links with it, directly or through others.
//
// Each host has a link of its own into the network and one out of it, as wide as the others are by default.
#pragma once

#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "tile/network/network.hpp"
#include "tile/network/routing.hpp"

namespace lisle::tile {

/// Not thread-safe.
class flow_network {
  public:
    /// Throws std::invalid_argument if the parameters do not fit each other.
    explicit flow_network(const parameters &machine);

    /// A flow begins; hosts are the machine's tiles. @pre from != to @return its number
    int start(int from, int to, std::int64_t bytes, cycle now);
    /// The cycle in which the next flow's last byte leaves, or never.
    [[nodiscard]] cycle next(cycle now);
    /// Ends the flows whose last bytes have left by now. @return their numbers, in the order in which they
    /// began
    [[nodiscard]] std::vector<int> take(cycle now);
    /// What a byte takes from one host to another.
    [[nodiscard]] cycle latency(int from, int to);
    /// Bytes in a cycle that a flow has now.
    [[nodiscard]] double rate(int flow, cycle now);

    [[nodiscard]] std::string described() const;
    /// Words are those that have been sent or are to be sent; there are no queues.
    [[nodiscard]] std::vector<link_traffic> links() const;
    static constexpr cycle never = std::numeric_limits<cycle>::max();

  private:
    struct flow {
        std::vector<int> links; ///< of its way; empty: it has ended
        std::int64_t order = 0; ///< among all flows
        double left = 0;        ///< bytes, at `since`
        double rate = 0;
        cycle since = 0;
        std::uint32_t version = 0; ///< of its end in the queue
        bool settled = false;      ///< its rate has been found, in this round
    };
    struct link {
        double capacity = 0; ///< bytes in a cycle
        std::vector<int> flows;
        std::int64_t bytes = 0;
        double free = 0; ///< what is left of it, while rates are found
        int open = 0;    ///< flows without a rate, likewise
        bool seen = false;
    };
    struct end {
        cycle at;
        std::int64_t order;
        int flow;
        std::uint32_t version;
        bool operator>(const end &other) const noexcept {
            return at != other.at ? at > other.at : order > other.order;
        }
    };
    struct way {
        int from = -1, to = -1;
        std::vector<int> links;
        cycle latency = 0;
    };

    [[nodiscard]] link &at(int number) noexcept { return links_[static_cast<std::size_t>(number)]; }
    [[nodiscard]] flow &flow_at(int number) noexcept { return flows_[static_cast<std::size_t>(number)]; }
    [[nodiscard]] const way &way_of(int from, int to);
    void settle(cycle now);
    void collect(std::vector<int> &links, std::vector<int> &flows);
    void share(const std::vector<int> &links);
    void settle_flows_of(const link &full, double rate);
    void drop_old_ends();

    parameters machine_;
    wiring joined_;
    std::unique_ptr<routing> routing_;
    std::vector<way> ways_; ///< the latest to be asked for: all would grow with the square of the hosts
    /// Channels, then links into the network, then those out of it, if they are not the same.
    std::vector<link> links_;
    std::vector<flow> flows_;
    std::vector<int> free_;    ///< numbers of flows that have ended
    std::vector<int> changed_; ///< links of flows that have begun or ended since rates were found
    std::priority_queue<end, std::vector<end>, std::greater<>> ends_;
    std::int64_t begun_ = 0;
    /// What a link has for each of its flows, and its place among those whose rates are found: a heap.
    std::vector<std::pair<double, std::size_t>> by_share_;
};

} // namespace lisle::tile
