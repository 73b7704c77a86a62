// SPDX-License-Identifier: Apache-2.0
// Rails and peers that are lost. When a rail fails the next one carries on. A rail is closed as a whole,
// since no provider takes back what it has begun for one peer; who is told of that closes its own.
#include "fabric/network/network_fabric.hpp"

namespace lisle::fabric::network {

void network_fabric::notice_ends() {
    polls_ = 0;
    for (std::size_t number = 0; number != rails_.size(); ++number) {
        for (const auto &[process, why] : rails_[number].watched().ended()) {
            switch (why) {
            case pulse::cause::farewell:
                peers_[process].left = true;
                break;
            case pulse::cause::death:
                peers_.fail(process);
                break;
            case pulse::cause::retired:
            case pulse::cause::silence:
                lost_rail(process, number);
                break;
            }
        }
    }
}

void network_fabric::notice_lost_callers(std::size_t rail) {
    for (const peer_number lost : rails_[rail].endpoint().take_lost()) {
        for (int process = 0; process != peers_.size(); ++process) {
            const peer_process &of = peers_[process];
            if (rail < of.rails().size() && of.rails()[rail] == lost && !of.left) {
                lost_rail(process, rail);
            }
        }
    }
}

void network_fabric::lost_rail(int process, std::size_t number) {
    const peer_process &to = peers_[process];
    if (to.has_lost(number)) {
        return; // known
    }
    if (to.has_more_rails_than_one()) {
        close_rail(number);
        return;
    }
    // It was the last that led there. What the provider has of it ends, so that no memory stays in use.
    if (number < to.rails().size()) {
        rails_[number].endpoint().give_up(to.rails()[number]);
    }
    peers_.fail(process);
}

void network_fabric::close_rail(std::size_t number) {
    if (!rails_[number].is_open()) {
        return;
    }
    rails_[number].close();
    copies_.rail_closed(number);
    sender_.rail_closed(number);
    for (int process = 0; process != peers_.size(); ++process) {
        take_over(process, number);
    }
}

void network_fabric::take_over(int process, std::size_t lost) {
    peer_process &to = peers_[process];
    if (to.failed || lost >= to.rails().size()) {
        return;
    }
    switch (to.lose(lost)) {
    case peer_process::after_loss::unchanged:
        break;
    case peer_process::after_loss::cut_off:
        peers_.fail(process);
        break;
    case peer_process::after_loss::moved:
        sender_.send_again(process);
        // What acknowledged its frames may have been lost with the rail, and nothing else would tell it
        // again.
        acknowledged_.tell_soon(process);
        break;
    }
}

} // namespace lisle::fabric::network
