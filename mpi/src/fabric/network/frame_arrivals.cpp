// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/frame_arrivals.hpp"

#include <algorithm>
#include <cstdio>

namespace lisle::fabric::network {

// Each early frame has the buffer that it came to. Those that are kept may come once more.
static_assert(rail_set::receive_buffers <= reorder_buffer<inbox::packet>::window &&
              send_buffers::count <= reorder_buffer<inbox::packet>::window);

void frame_arrivals::arrived(buffer &in, std::size_t bytes) {
    arrived_frame found{};
    const refusal why = check_frame(in.room.first(std::min(bytes, in.room.size())), job_.mark, job_.ranks,
                                    job_.first_rank, job_.rank_count, found);
    if (why != refusal::none) {
        drop(in, bytes, why);
        return;
    }
    const int process = job_.process_of(found.what.source);
    peer_process &from = to_.peers[process];
    if (from.failed) {
        to_.rails.receive_again(in); // everybody has been told that it is gone
        return;
    }
    if (!from.heard) {
        // Its end is to be noticed, too, where this process only waits for it.
        to_.peers.connect(process, to_.peers.find(found.what.source));
        from.heard = true; // now that there was memory for it
        to_.congested.tell_soon();
    }
    if (!put_in_order(process, {&in, found})) {
        drop(in, bytes, refusal::wrong_number);
    }
}

bool frame_arrivals::put_in_order(int process, const inbox::packet &arrived) {
    const frame &what = arrived.what.what;
    peer_process &from = to_.peers[process];
    const bool acknowledges = what.what == frame::kind::received;
    if (!acknowledges && from.is_joined() && from.numbers() != (what.number != 0)) {
        return false;
    }
    if (!acknowledges && what.number != 0) {
        return put_numbered_in_order(process, arrived);
    }
    if (acknowledges && !from.acknowledge(what.number, to_.buffers)) {
        return false;
    }
    pass_on(process, arrived);
    return true;
}

void frame_arrivals::drop(buffer &in, std::size_t bytes, refusal why) noexcept {
    if (drops_.add()) {
        std::fprintf(stderr,
                     "lisle: dropped %zu bytes from the network: %s (further ones are not reported)\n", bytes,
                     reason(why));
    }
    to_.rails.receive_again(in);
}

bool frame_arrivals::put_numbered_in_order(int process, const inbox::packet &arrived) {
    using arrival = reorder_buffer<inbox::packet>::arrival;
    peer_process &from = to_.peers[process];
    switch (from.arriving.place_of(arrived.what.what.number)) {
    case arrival::due:
        from.arriving.advance();
        to_.acknowledged.count(process);
        pass_on(process, arrived);
        while (const auto held = from.arriving.take_due()) {
            to_.acknowledged.count(process);
            pass_on(process, *held);
        }
        return true;
    case arrival::early:
        from.arriving.hold(arrived.what.what.number, arrived);
        return true;
    case arrival::repeated:
        if (!from.keeps()) {
            return false;
        }
        to_.acknowledged.tell_soon(process); // the peer does not know that it has come before
        to_.rails.receive_again(*arrived.in);
        return true;
    case arrival::impossible:
        return false;
    }
    return false;
}

void frame_arrivals::pass_on(int process, const inbox::packet &due) {
    const frame &what = due.what.what;
    peer_process &from = to_.peers[process];
    switch (what.what) {
    case frame::kind::packet:
        to_.boxes.add(what.dest, due);
        return;
    case frame::kind::congested:
    case frame::kind::relieved:
        to_.congested.hear(what.source, what.what == frame::kind::congested);
        break;
    case frame::kind::last:
        from.left = true;
        to_.acknowledged.tell_soon(process);
        break;
    case frame::kind::received:
        from.confirmed = from.told_last; // before that it speaks of other frames
        break;
    }
    to_.rails.receive_again(*due.in);
}

} // namespace lisle::fabric::network
