// SPDX-License-Identifier: Apache-2.0
#include "launch/request/request.hpp"

#include <numeric>

namespace lisle::launch {

std::optional<int> program_request::slots() const {
    if (hosts.empty()) {
        return std::nullopt;
    }
    return std::accumulate(hosts.begin(), hosts.end(), 0,
                           [](int sum, const host_slots &host) { return sum + host.slots; });
}

} // namespace lisle::launch
