// SPDX-License-Identifier: Apache-2.0
// What hosts and the launcher tell each other when the ways between hosts are tried (--check-hosts).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/link/wire.hpp"

namespace lisle::launch {

/// What a host is asked to listen for.
struct check_start {
    std::uint64_t token = 0; ///< callers say it; of this check alone
};
template <class Wire> void describe(Wire &wire, check_start &each) {
    wire(each.token);
}

/// An address of a host.
struct host_address {
    std::string interface;
    std::string told; ///< a tcp::told_interface, with the port where the host listens
};
template <class Wire> void describe(Wire &wire, host_address &each) {
    wire(each.interface, each.told);
}

struct host_addresses {
    std::uint64_t machine = 0; ///< the same for hosts that are one machine
    std::vector<host_address> all;
};
template <class Wire> void describe(Wire &wire, host_addresses &each) {
    wire(each.machine, each.all);
}

/// A path from a host to another one, as it was found.
struct tried_path {
    int from = 0; ///< host
    int to = 0;
    std::string interface; ///< of the other host
    std::string address;   ///< the same
    std::uint16_t port = 0;
    int problem = 0; ///< as of errno; 0: it is open
    double microseconds = 0;
    double megabytes = 0;    ///< each second
    std::uint32_t speed = 0; ///< that the slower interface says, in Mbit/s; 0: unknown
};
template <class Wire> void describe(Wire &wire, tried_path &each) {
    wire(each.from, each.to, each.interface, each.address, each.port, each.problem, each.microseconds,
         each.megabytes, each.speed);
}

} // namespace lisle::launch
