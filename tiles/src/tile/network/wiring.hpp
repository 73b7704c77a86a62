// SPDX-License-Identifier: Apache-2.0
// Which routers there are, which links join them, and at which of them the cores are. A topology makes one
// (topologies.hpp); changes of single links and what is broken come on top.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tile/network/parameters.hpp"

namespace lisle::tile {

/// One direction of a link.
struct channel {
    int from = 0, to = 0; ///< routers
    int exit = 0;         ///< of `from`: its number there
    int entrance = 0;     ///< of `to`
    int width = 1;        ///< words at once
    cycle period = 1;     ///< cycles from one such transfer to the next
    cycle latency = 1;
    bool broken = false;
};

class wiring {
  public:
    static constexpr int none = -1;

    explicit wiring(int routers, const parameters &machine);

    /// Joins two routers by a channel. @param exit its number at `from`, none: the next that is free
    void join(int from, int to, int exit = none);
    /// Puts the next core at a router.
    void attach(int router);
    /// Carries out what the parameters say of single links and routers. Throws std::invalid_argument if there
    /// is no such link or router.
    void change(const parameters &machine);

    [[nodiscard]] int routers() const noexcept { return static_cast<int>(exits_.size()); }
    [[nodiscard]] int cores() const noexcept { return static_cast<int>(router_of_.size()); }
    [[nodiscard]] std::span<const channel> channels() const noexcept { return channels_; }
    /// By number: channels that lead away from a router, or none. Broken ones are among them.
    [[nodiscard]] std::span<const int> exits(int router) const noexcept {
        return exits_[static_cast<std::size_t>(router)];
    }
    /// Channels that lead to a router.
    [[nodiscard]] std::span<const int> entrances(int router) const noexcept {
        return entrances_[static_cast<std::size_t>(router)];
    }
    [[nodiscard]] const channel &through(int router, int exit) const noexcept {
        return channels_[static_cast<std::size_t>(exits(router)[static_cast<std::size_t>(exit)])];
    }
    [[nodiscard]] int router_of(int core) const noexcept {
        return router_of_[static_cast<std::size_t>(core)];
    }
    /// The cores at a router.
    [[nodiscard]] std::span<const int> cores_at(int router) const noexcept {
        return cores_at_[static_cast<std::size_t>(router)];
    }
    [[nodiscard]] bool works(int router) const noexcept { return works_[static_cast<std::size_t>(router)]; }
    /// Links and routers that do not work, each link once.
    [[nodiscard]] int broken() const noexcept { return broken_; }

    /// Throws std::invalid_argument if some cores whose routers work do not reach each other.
    void check_connected() const;

  private:
    std::vector<channel> channels_;
    std::vector<std::vector<int>> exits_, entrances_;
    std::vector<int> router_of_;
    std::vector<std::vector<int>> cores_at_;
    std::vector<char> works_;
    int broken_ = 0;
    channel usual_; ///< what a channel is like unless it is changed
};

} // namespace lisle::tile
