// SPDX-License-Identifier: Apache-2.0
#include "fabric/routes.hpp"

#include <algorithm>

#include "fabric/mailbox_access.hpp"

namespace lisle::fabric {

namespace {

route route_over(fabric &carrier, int peer) {
    mailbox_access *const boxes = carrier.mailboxes();
    route made{.carrier = &carrier,
               .source = &carrier,
               .mailbox = boxes != nullptr ? boxes->mailbox_to(peer) : nullptr,
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
    for (auto &each : fabrics) {
        found.own(std::move(each));
    }
    found.append(found.fabrics(), peers);
    return found.size() == peers ? std::optional{std::move(found)} : std::nullopt;
}

void routes::own(std::unique_ptr<fabric> one) {
    owned_.push_back(std::move(one));
    fabrics_.push_back(owned_.back().get());
}

void routes::append(std::span<fabric *const> reaching, int peers) {
    for (int peer = size(); peer < peers; ++peer) {
        const auto first =
            std::ranges::find_if(reaching, [peer](fabric *each) { return each->reaches(peer); });
        if (first == reaching.end()) {
            return;
        }
        const route made = route_over(**first, peer);
        mailboxes_.push_back(made.mailbox);
        to_.push_back(made); // last: its number counts
    }
}

void routes::add(std::unique_ptr<fabric> further) {
    fabric *const reaching = further.get();
    own(std::move(further));
    append({&reaching, 1}, static_cast<int>(most_peers));
}

std::optional<routes> routes::on_track(int track, int peers) const {
    std::vector<std::unique_ptr<fabric>> others;
    for (fabric *const each : fabrics()) {
        if (auto other = each->on_track(track)) {
            others.push_back(std::move(other));
        }
    }
    return find(std::move(others), peers);
}

} // namespace lisle::fabric
