// SPDX-License-Identifier: Apache-2.0
// Several rails to one process. One carries the frames; copies between memories are spread over all
// (copies.cpp). When a rail fails the next one carries on: frames have numbers (arriving.cpp), and are kept
// until the peer has acknowledged them, so what was on its way is sent once more, and what arrives twice is
// dropped. A rail is closed as a whole, since no provider takes back what it has begun for one peer; who
// is told of that closes its own.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "fabric/network/network_fabric.hpp"

namespace lisle::fabric::network {

namespace {

/// So many frames are acknowledged with one.
constexpr unsigned frames_between_reports = 8;

/// What stands in an address before that of each rail's endpoint.
struct rail_address {
    tcp::socket_address pulse;
    std::uint32_t bytes; ///< of the provider's own address, which follows
};

} // namespace

endpoint_address network_fabric::address(int) const {
    endpoint_address whole;
    for (const auto &each : rails_) {
        const std::vector<std::byte> own = each->endpoint().address();
        const rail_address head{each->watched().address(), static_cast<std::uint32_t>(own.size())};
        const auto *const begin = reinterpret_cast<const std::byte *>(&head);
        whole.insert(whole.end(), begin, begin + sizeof head);
        whole.insert(whole.end(), own.begin(), own.end());
    }
    return whole;
}

// The n-th rail of a process is joined to the n-th of the other.
std::vector<peer_number> network_fabric::find_rails_locked(int process, std::span<const std::byte> address) {
    std::vector<peer_number> found;
    for (const auto &each : rails_) {
        rail_address head{};
        if (address.size() < sizeof head) {
            break;
        }
        std::memcpy(&head, address.data(), sizeof head);
        address = address.subspan(sizeof head);
        if (head.bytes > address.size()) {
            break;
        }
        found.push_back(each->is_open() ? each->endpoint().add_peer(address.first(head.bytes)) : no_peer);
        address = address.subspan(head.bytes);
        if (found.back() != no_peer && head.pulse.exists()) {
            each->watched().watch(process, head.pulse);
        }
    }
    const auto first = std::ranges::find_if(found, [](peer_number at) { return at != no_peer; });
    if (first == found.end()) {
        return {};
    }
    peers_[static_cast<std::size_t>(process)].rail = static_cast<std::size_t>(first - found.begin());
    return found;
}

void network_fabric::lost_rail_locked(int process, std::size_t number) {
    const std::vector<peer_number> &at = peers_[static_cast<std::size_t>(process)].at;
    if (number < at.size() && at[number] == no_peer) {
        return; // known
    }
    const auto open = std::ranges::count_if(at, [](peer_number each) { return each != no_peer; });
    if (open <= 1) {
        // It was the last that led there. What the provider has of it ends, so that no memory stays in use.
        if (number < at.size()) {
            rails_[number]->endpoint().give_up(at[number]);
        }
        failed_locked(process);
    } else {
        close_rail_locked(number);
    }
}

void network_fabric::close_rail_locked(std::size_t number) {
    if (!rails_[number]->is_open()) {
        return;
    }
    rails_[number]->close();
    end_pieces_on_locked(number);
    // The closed rail ends nothing any more.
    for (std::size_t index = 0; index != most_sends; ++index) {
        buffer &each = sends_.at(index);
        if (each.at_provider && each.rail == number) {
            each.at_provider = false;
            --peers_[static_cast<std::size_t>(each.process)].started;
            if (!each.kept) {
                finish_send_locked(each);
            }
        }
    }
    for (std::size_t process = 0; process != peers_.size(); ++process) {
        take_over_locked(static_cast<int>(process), number);
    }
}

void network_fabric::take_over_locked(int process, std::size_t lost) {
    peer_process &to = peers_[static_cast<std::size_t>(process)];
    if (to.failed || lost >= to.at.size()) {
        return;
    }
    to.at[lost] = no_peer;
    if (to.rail != lost) {
        return;
    }
    const auto next = std::ranges::find_if(to.at, [](peer_number at) { return at != no_peer; });
    if (next == to.at.end()) {
        failed_locked(process);
        return;
    }
    to.rail = static_cast<std::size_t>(next - to.at.begin());
    if (!to.unacknowledged.empty() && to.waiting.empty()) {
        clogged_.push_back(process);
    }
    to.waiting.send_again(to.unacknowledged);
    // What acknowledged its frames may have been lost with the rail, and nothing else would tell it again.
    acknowledge_soon_locked(process);
    if (call_sender_) {
        call_sender_();
    }
}

void network_fabric::count_unreported_locked(peer_process &from) noexcept {
    if (from.at.size() == 1) {
        return; // it keeps nothing
    }
    to_acknowledge_ = ++from.unreported >= frames_between_reports || to_acknowledge_;
}

void network_fabric::acknowledge_soon_locked(int process) noexcept {
    unsigned &unreported = peers_[static_cast<std::size_t>(process)].unreported;
    unreported = std::max(unreported, frames_between_reports);
    to_acknowledge_ = true;
}

bool network_fabric::acknowledged_locked(int process, std::uint32_t number) noexcept {
    peer_process &to = peers_[static_cast<std::size_t>(process)];
    if (number == 0) {
        return true; // no frame of ours is kept for it
    }
    if (to.next_out - number > reorder_buffer<inbox::packet>::window) {
        return false;
    }
    // Numbers begin anew after the greatest: what counts is the distance.
    while (!to.unacknowledged.empty()) {
        buffer &first = *to.unacknowledged.front();
        if (static_cast<std::int32_t>(frame_in(first).number - number) >= 0) {
            break;
        }
        to.unacknowledged.pop_front();
        to.waiting.forget(first);
        first.kept = false;
        if (!first.at_provider) {
            finish_send_locked(first);
        }
    }
    return true;
}

void network_fabric::acknowledge_all_locked() noexcept {
    to_acknowledge_ = false;
    for (std::size_t process = 0; process != peers_.size(); ++process) {
        peer_process &from = peers_[process];
        if (from.failed || from.unreported < frames_between_reports) {
            continue;
        }
        if (send_frame_locked(static_cast<int>(process), frame::kind::received, job_.first_rank)) {
            from.unreported = 0;
        } else {
            to_acknowledge_ = true; // at the next poll
        }
    }
}

} // namespace lisle::fabric::network
