// SPDX-License-Identifier: Apache-2.0
// The end of a process that has failed nobody: what it has sent last must not be lost with it, nor may its
// peers take its end for a failure. A frame may wait for its connection, lie in the provider, which nobody
// asks any more once the process has ended, or be under way, where the kernel drops it if the process ends
// with frames that it has not read. So each peer is told that nothing follows and confirms that it knows,
// unless it has left itself: then it needs nothing any more.
#include "fabric/network/network_fabric.hpp"

#include <chrono>
#include <mutex>
#include <thread>

namespace lisle::fabric::network {

void network_fabric::leave(int) noexcept {
    {
        const std::scoped_lock guard{lock_};
        if (++left_ != job_.rank_count) {
            return; // the last one waits for the frames of all
        }
    }
    using namespace std::chrono_literals;
    const auto end = std::chrono::steady_clock::now() + job_.silence;
    for (unsigned looks = 1; !has_sent_all() && std::chrono::steady_clock::now() < end; ++looks) {
        if (constexpr unsigned brief_looks = 100; looks < brief_looks) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(100us);
        }
    }
    const std::scoped_lock guard{lock_};
    for (const auto &each : rails_) {
        each->watched().say_farewell();
    }
}

bool network_fabric::try_to_end() noexcept {
    if (!has_sent_all()) {
        return false;
    }
    const std::scoped_lock guard{lock_};
    for (const auto &each : rails_) {
        each->watched().say_farewell();
    }
    return true;
}

bool network_fabric::has_sent_all() noexcept {
    const std::scoped_lock guard{lock_};
    progress_rails_locked();
    send_waiting_locked();
    notice_ends_locked();
    // Packets that no rank of this process takes any more keep their buffers. Without one nothing is heard.
    std::size_t untaken = 0;
    for (const inbox &each : inboxes_) {
        untaken += each.packets.size();
    }
    const bool hears_all = untaken < receive_buffers;
    bool all = true;
    for (std::size_t process = 0; process != peers_.size(); ++process) {
        peer_process &to = peers_[process];
        if (to.failed || to.left || !(to.heard || to.reached || to.outstanding != 0)) {
            continue;
        }
        // Frames arrive in order: who has this one has all others.
        to.told_last = to.told_last ||
                       (to.waiting.empty() &&
                        send_frame_locked(static_cast<int>(process), frame::kind::last, job_.first_rank));
        all = all && to.told_last && to.outstanding == 0 && (to.confirmed || !hears_all);
    }
    return all;
}

} // namespace lisle::fabric::network
