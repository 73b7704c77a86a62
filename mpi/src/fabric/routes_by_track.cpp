// SPDX-License-Identifier: Apache-2.0
#include "fabric/routes_by_track.hpp"

namespace lisle::fabric {

routes *routes_by_track::find(int track) {
    if (track == 0) {
        return &first_;
    }
    sought_routes &other = others_[static_cast<std::size_t>(track) - 1];
    std::call_once(other.sought, [&] {
        if (auto found = first_.on_track(track, own_peers_)) {
            other.found.emplace(*std::move(found));
        }
    });
    return other.found ? &*other.found : nullptr;
}

} // namespace lisle::fabric
