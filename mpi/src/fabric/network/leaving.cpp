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
    rails_.say_farewell();
}

bool network_fabric::try_to_end() noexcept {
    if (!has_sent_all()) {
        return false;
    }
    const std::scoped_lock guard{lock_};
    rails_.say_farewell();
    return true;
}

bool network_fabric::has_sent_all() noexcept {
    const std::scoped_lock guard{lock_};
    progress();
    sender_.send_waiting();
    notice_ends();
    // Packets that no rank of this process takes any more keep their buffers. Without one nothing is heard.
    const bool hears_all = boxes_.untaken() < receive_buffers;
    bool all = true;
    for (int process = 0; process != peers_.size(); ++process) {
        all = tell_last(process, hears_all) && all;
    }
    return all;
}

// True if the peer knows that nothing follows, or need not know it.
bool network_fabric::tell_last(int process, bool hears_all) noexcept {
    peer_process &to = peers_[process];
    const bool knows = to.heard || to.reached || to.outstanding() != 0 || to.hears_of_end_in_frames;
    if (to.failed || to.left || !knows) {
        return true;
    }
    // Frames arrive in order: who has this one has all others.
    to.told_last = to.told_last ||
                   (to.waiting.empty() && sender_.send_control(process, frame::kind::last, job_.first_rank));
    return to.told_last && to.outstanding() == 0 && (to.confirmed || !hears_all);
}

} // namespace lisle::fabric::network
