// SPDX-License-Identifier: Apache-2.0
#include "fabric/routes.hpp"

#include <algorithm>

namespace lisle::fabric {

std::optional<routes> routes::find(std::vector<std::unique_ptr<fabric>> fabrics, int ranks) {
    routes found;
    for (int dest = 0; dest < ranks; ++dest) {
        const auto reaching = std::find_if(fabrics.begin(), fabrics.end(),
                                           [dest](const auto &each) { return each->reaches(dest); });
        if (reaching == fabrics.end()) {
            return std::nullopt;
        }
        found.by_destination_.push_back(reaching->get());
        found.mailboxes_.push_back((*reaching)->mailbox_to(dest));
    }
    found.fabrics_ = std::move(fabrics);
    return found;
}

std::optional<routes> routes::on_track(int track) const {
    std::vector<std::unique_ptr<fabric>> others;
    for (const auto &each : fabrics_) {
        if (auto other = each->on_track(track)) {
            others.push_back(std::move(other));
        }
    }
    return find(std::move(others), static_cast<int>(by_destination_.size()));
}

} // namespace lisle::fabric
