// SPDX-License-Identifier: Apache-2.0
// The ways from one machine to another: which of its addresses a connection may begin at, which of the
// other's it may lead to, and which of these ways is open.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tcp/common_network.hpp"
#include "tcp/socket_address.hpp"

namespace lisle::tcp {

struct path {
    socket_address from; ///< without a port; none: the system chooses
    socket_address to;   ///< with the port that the other machine has told
};

/// All ways from a machine to a peer, the best one first. Those within a network of both come before those
/// over routers, default routes' interfaces before others, then the fastest. No way leads to an address that
/// both machines have. The same answer wherever it is asked.
[[nodiscard]] std::vector<path> paths_between(const told_machine &own, const told_machine &peer);

/// Which path to a machine is open.
struct open_path {
    static constexpr std::int8_t none = -1;
    std::int8_t number = none; ///< the first of the machine's that has let a connection through
    int problem = 0;           ///< of the last one that has not, as of errno
};
/// Connects to all machines at the same time, to each by one path after the other. Waits, two seconds for a
/// path without an answer. @param all the paths to each machine, where somebody listens
[[nodiscard]] std::vector<open_path> find_open(std::span<const std::vector<path>> all);

/// How one process is to connect to another.
struct way {
    enum class kind : std::uint8_t {
        any,     ///< to the address that the peer names first
        by_path, ///< by this path, and the peer connects to this process as well as it to the peer
        calling, ///< by this path, at once: the peer cannot connect
        called,  ///< not at all: the peer connects
    };
    kind is = kind::any;
    path by; ///< its port means nothing

    [[nodiscard]] bool leads_in_one_direction() const noexcept {
        return is == kind::calling || is == kind::called;
    }
};

} // namespace lisle::tcp
