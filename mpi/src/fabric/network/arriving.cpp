// SPDX-License-Identifier: Apache-2.0
// What becomes of a frame that has arrived: it is checked, waits until those that were sent before it are
// there, and goes to the inbox of its rank, or tells this process something.
#include <cstdio>

#include "fabric/network/network_fabric.hpp"

namespace lisle::fabric::network {

// Each early frame has the buffer that it came to. Those that are kept may come once more.
static_assert(network_fabric::receive_buffers <= reorder_buffer<inbox::packet>::window &&
              network_fabric::most_sends <= reorder_buffer<inbox::packet>::window);

void network_fabric::arrived_locked(buffer &in, std::size_t bytes) {
    arrived_frame found{};
    const refusal why = check_frame(in.room.first(std::min(bytes, in.room.size())), job_.secret, job_.ranks,
                                    job_.first_rank, job_.rank_count, found);
    if (why != refusal::none) {
        drop_locked(in, bytes, why);
        return;
    }
    const int process = job_.process_of(found.what.source);
    peer_process &from = peers_[static_cast<std::size_t>(process)];
    if (from.failed) {
        receive_again_locked(in); // everybody has been told that it is gone
        return;
    }
    if (!from.heard) {
        from.heard = true;
        congestion_changed_ = true; // it has not been told yet
        // Its end is to be noticed, too, where this process only waits for it.
        connect_locked(process, where_(found.what.source));
    }
    if (!put_in_order_locked(process, {&in, found})) {
        drop_locked(in, bytes, refusal::wrong_number);
    }
}

bool network_fabric::put_in_order_locked(int process, const inbox::packet &arrived) {
    const frame &what = arrived.what.what;
    const peer_process &from = peers_[static_cast<std::size_t>(process)];
    const bool acknowledges = what.what == frame::kind::received;
    if (!acknowledges && !from.at.empty() && from.numbers != (what.number != 0)) {
        return false;
    }
    if (!acknowledges && what.number != 0) {
        return put_numbered_in_order_locked(process, arrived);
    }
    if (acknowledges && !acknowledged_locked(process, what.number)) {
        return false;
    }
    pass_on_locked(process, arrived);
    return true;
}

void network_fabric::drop_locked(buffer &in, std::size_t bytes, refusal why) noexcept {
    if (dropped_.fetch_add(1, std::memory_order_relaxed) == 0) {
        std::fprintf(stderr,
                     "lisle: dropped %zu bytes from the network: %s (further ones are not reported)\n", bytes,
                     reason(why));
    }
    receive_again_locked(in);
}

bool network_fabric::put_numbered_in_order_locked(int process, const inbox::packet &arrived) {
    using arrival = reorder_buffer<inbox::packet>::arrival;
    peer_process &from = peers_[static_cast<std::size_t>(process)];
    switch (from.arriving.place_of(arrived.what.what.number)) {
    case arrival::due:
        from.arriving.advance();
        count_unreported_locked(from);
        pass_on_locked(process, arrived);
        while (const auto held = from.arriving.take_due()) {
            count_unreported_locked(from);
            pass_on_locked(process, *held);
        }
        return true;
    case arrival::early:
        from.arriving.hold(arrived.what.what.number, arrived);
        return true;
    case arrival::repeated:
        if (!from.keeps()) {
            return false;
        }
        acknowledge_soon_locked(process); // the peer does not know that it has come before
        receive_again_locked(*arrived.in);
        return true;
    case arrival::impossible:
        return false;
    }
    return false;
}

void network_fabric::pass_on_locked(int process, const inbox::packet &due) {
    const frame &what = due.what.what;
    peer_process &from = peers_[static_cast<std::size_t>(process)];
    switch (what.what) {
    case frame::kind::packet:
        inbox_of(what.dest).packets.push_back(due);
        wake_if_armed(what.dest);
        return;
    case frame::kind::congested:
    case frame::kind::relieved:
        congested_[static_cast<std::size_t>(what.source)].store(what.what == frame::kind::congested,
                                                                std::memory_order_relaxed);
        break;
    case frame::kind::last:
        from.left = true;
        acknowledge_soon_locked(process);
        break;
    case frame::kind::received:
        from.confirmed = from.told_last; // before that it speaks of other frames
        break;
    }
    receive_again_locked(*due.in);
}

void network_fabric::receive_again_locked(buffer &in) noexcept {
    rails_[in.rail]->receive_to(in);
}

} // namespace lisle::fabric::network
