// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/ucx/remote_keys.hpp"

namespace lisle::fabric::network {

remote_key *remote_keys::find(peer_number owner, std::uint64_t number) noexcept {
    const auto found = all_.find({owner, number});
    return found == all_.end() ? nullptr : &found->second;
}

void remote_keys::note_asked(peer_number owner, std::uint64_t number) {
    if (all_.size() >= most_kept) {
        std::erase_if(all_, [](const auto &each) {
            return each.second.uses == 0 && each.second.is != remote_key::state::asked;
        });
    }
    all_.try_emplace({owner, number});
}

} // namespace lisle::fabric::network
