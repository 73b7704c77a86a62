// SPDX-License-Identifier: Apache-2.0
// What becomes of operations when a peer fails: those that need it end with MPIX_ERR_PROC_FAILED, at once;
// all others go on. A receive from any source waits on: another rank may send what it takes.
#include <algorithm>

#include "mpi.h"
#include "protocol/engine.hpp"

namespace lisle::protocol {

bool engine::has_failed(int peer) const noexcept {
    return !failed_.empty() && std::ranges::find(failed_, peer) != failed_.end();
}

void engine::fail_locked(request &failed) {
    failed.result.error = MPIX_ERR_PROC_FAILED;
    failed.result.bytes = 0;
    complete_locked(failed);
}

void engine::peer_failed(int peer) {
    if (has_failed(peer)) {
        return;
    }
    failed_.push_back(peer);
    static_cast<void>(deferred_.take(peer));
    static_cast<void>(streams_.take(peer));
    count_waiting_locked();
    sends_.each([&](std::uint64_t id, send_operation &send) {
        if (send.dest == peer) {
            sends_.erase(id);
            withdraw_buffer(send);
            fail_locked(send);
        }
    });
    receives_.each([&](std::uint64_t id, receive_operation &receive) {
        if (receive.sender.peer == peer) {
            receives_.erase(id);
            fail_locked(receive);
        }
    });
    for (receive_operation *const posted : matcher_.posted_from(peer)) {
        matcher_.withdraw(*posted);
        posted->result.source = posted->pattern.source;
        fail_locked(*posted);
    }
    active_messages::tell_failure(*this, peer);
    note_news_locked(); // for those who wait for something else of that peer
}

} // namespace lisle::protocol
