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
    found.append(0, peers);
    found.find_common();
    return found.size() == peers ? std::optional{std::move(found)} : std::nullopt;
}

void routes::own(std::unique_ptr<fabric> one) {
    owned_.push_back(std::move(one));
    fabrics_.push_back(owned_.back().get());
}

void routes::append(std::size_t first, int peers) {
    const std::span<fabric *const> reaching = fabrics().subspan(first);
    int end = size();
    for (int before = -1; before != end && end < peers;) {
        before = end;
        for (const fabric *const each : reaching) {
            end = each->reaches_up_to(end, peers);
        }
    }
    to_.grow(static_cast<std::size_t>(end));
    mailboxes_.grow(static_cast<std::size_t>(end));
    stages_.push_back({end, first, reaching.size()}); // last: it says how many peers there are
}

fabric &routes::reaching(int peer) const noexcept {
    const stage *const of_peer =
        std::ranges::find_if(stages_, [peer](const stage &each) { return peer < each.end; });
    const auto able = fabrics().subspan(of_peer->fabrics, of_peer->how_many);
    return **std::ranges::find_if(able, [peer](const fabric *each) { return each->reaches(peer); });
}

route routes::make(int peer) const noexcept {
    const route made = route_over(reaching(peer), peer);
    // Release: who finds the mailbox there sees it whole.
    mailboxes_[static_cast<std::size_t>(peer)].store(made.mailbox, std::memory_order_release);
    return made;
}

void routes::find_common() noexcept {
    if (size() == 0) {
        return;
    }
    fabric &first = reaching(0);
    for (const fabric *const each : fabrics()) {
        if (each == &first) {
            break;
        }
        for (int peer = 1; peer < size(); ++peer) {
            if (each->reaches(peer)) {
                return; // it comes before the first one's fabric, and serves this peer
            }
        }
    }
    if (first.reaches_up_to(0, size()) == size()) {
        common_.carrier = &first;
        common_.node = first.is_of_one_node() ? first.node(0) : nullptr;
        common_.same_address_space = first.same_address_space(0) && first.same_address_space(size() - 1);
    }
}

void routes::add(std::unique_ptr<fabric> further) {
    const int before = size();
    own(std::move(further));
    append(fabrics_.size() - 1, static_cast<int>(most_peers));
    // At once: when the other job has gone, the fabric is asked for nothing more.
    for (int peer = before; peer < size(); ++peer) {
        static_cast<void>(to(peer));
    }
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
