// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/acknowledgements.hpp"

#include <algorithm>

namespace lisle::fabric::network {

namespace {

/// So many frames are acknowledged with one.
constexpr unsigned frames_between_reports = 8;

} // namespace

void acknowledgements::count(int process) noexcept {
    peer_process &from = peers_[process];
    if (from.rails().size() != 1) { // with one it keeps nothing
        due_ = ++from.unreported >= frames_between_reports || due_;
    }
}

void acknowledgements::tell_soon(int process) noexcept {
    unsigned &unreported = peers_[process].unreported;
    unreported = std::max(unreported, frames_between_reports);
    due_ = true;
}

void acknowledgements::tell() noexcept {
    due_ = false;
    for (int process = 0; process != peers_.size(); ++process) {
        peer_process &from = peers_[process];
        if (from.failed || from.unreported < frames_between_reports) {
            continue;
        }
        if (sender_.send_control(process, frame::kind::received, job_.first_rank)) {
            from.unreported = 0;
        } else {
            due_ = true; // at the next poll
        }
    }
}

} // namespace lisle::fabric::network
