// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/congestion.hpp"

namespace lisle::fabric::network {

congestion::congestion(const job_view &job, peer_table &peers, frame_sender &sender)
    : job_{job}, peers_{peers}, sender_{sender},
      own_(static_cast<std::size_t>(job.rank_count)), of_peers_{std::make_unique<std::atomic<bool>[]>(
                                                          static_cast<std::size_t>(job.ranks))} {
    for (own_rank &each : own_) {
        each.told.resize(static_cast<std::size_t>(peers_.size()));
    }
}

void congestion::set(int self, bool congested) noexcept {
    own_[static_cast<std::size_t>(self - job_.first_rank)].congested = congested;
    tell();
}

void congestion::tell() noexcept {
    changed_ = false;
    for (std::size_t place = 0; place != own_.size(); ++place) {
        own_rank &own = own_[place];
        const frame::kind what = own.congested ? frame::kind::congested : frame::kind::relieved;
        for (int process = 0; process != peers_.size(); ++process) {
            auto told = own.told[static_cast<std::size_t>(process)];
            const peer_process &to = peers_[process];
            if (told == own.congested || !to.heard || to.failed) {
                continue;
            }
            if (sender_.send_control(process, what, job_.first_rank + static_cast<int>(place))) {
                told = own.congested;
            } else {
                changed_ = true; // again at the next poll
            }
        }
    }
}

} // namespace lisle::fabric::network
