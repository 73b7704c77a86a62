// SPDX-License-Identifier: Apache-2.0
// The end of a process that has failed nobody: what it has sent last must not be lost with it. A frame may
// wait for its connection, and one that was injected may still lie in the provider, which nobody asks any
// more once the process has ended.
#include "fabric/ofi/network_fabric.hpp"

#include <chrono>
#include <mutex>
#include <thread>

namespace lisle::fabric::ofi {

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

bool network_fabric::has_sent_all() noexcept {
    const std::scoped_lock guard{lock_};
    progress_rails_locked();
    send_waiting_locked();
    notice_ends_locked();
    bool all = true;
    for (std::size_t process = 0; process != peers_.size(); ++process) {
        peer_process &to = peers_[process];
        if (to.failed || to.left) {
            continue;
        }
        // Frames arrive in order: when this one is on its way, all others are.
        if (to.unconfirmed && to.waiting.empty() &&
            send_frame_locked(static_cast<int>(process), frame::kind::last, job_.first_rank)) {
            to.unconfirmed = false;
        }
        all = all && !to.unconfirmed && to.outstanding == 0;
    }
    return all;
}

} // namespace lisle::fabric::ofi
