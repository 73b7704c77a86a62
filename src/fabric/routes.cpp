// SPDX-License-Identifier: Apache-2.0
#include "fabric/routes.hpp"

#include <algorithm>

namespace lisle::fabric {

namespace {

route route_over(fabric &carrier, int peer) {
    route made{.carrier = &carrier,
               .mailbox = carrier.mailbox_to(peer),
               .memory = carrier.memory(peer),
               .node = carrier.node(peer),
               .same_address_space = carrier.same_address_space(peer),
               .limits = carrier.limits(peer)};
    made.limits.eager = std::min(made.limits.eager, made.limits.largest_payload);
    return made;
}

} // namespace

std::optional<routes> routes::find(std::vector<std::unique_ptr<fabric>> fabrics, int peers) {
    routes found;
    found.fabrics_ = std::move(fabrics);
    return found.append(peers) ? std::optional{std::move(found)} : std::nullopt;
}

bool routes::append(int peers) {
    for (int peer = size(); peer < peers; ++peer) {
        const auto reaching = std::find_if(fabrics_.begin(), fabrics_.end(),
                                           [peer](const auto &each) { return each->reaches(peer); });
        if (reaching == fabrics_.end()) {
            return false;
        }
        const route made = route_over(**reaching, peer);
        mailboxes_.push_back(made.mailbox);
        to_.push_back(made); // last: its number counts
    }
    return true;
}

std::optional<routes> routes::on_track(int track) const {
    std::vector<std::unique_ptr<fabric>> others;
    for (const auto &each : fabrics_) {
        if (auto other = each->on_track(track)) {
            others.push_back(std::move(other));
        }
    }
    return find(std::move(others), size());
}

} // namespace lisle::fabric
