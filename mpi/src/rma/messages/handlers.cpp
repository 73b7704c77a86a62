// SPDX-License-Identifier: Apache-2.0
// Passes packets, and the news of a failed peer, to the windows that they concern.
#include "protocol/message/active_messages.hpp"
#include "protocol/message/refuse.hpp"
#include "rma/messages/window_messages.hpp"
#include "rma/messages/wire.hpp"

namespace lisle::rma {

namespace {

/// The window of a packet, whose sender is checked.
window_messages &window_of(const protocol::engine &home, const protocol::arrival &packet) {
    window_messages *const found = registered<window_messages>::find(home, packet.what.context);
    if (found == nullptr || packet.what.source < 0 || packet.what.source >= found->members.size() ||
        found->members.number_of(packet.what.source) != packet.peer) {
        protocol::refuse(packet.peer, "is about a window that it has no part in", packet.what.context);
    }
    return *found;
}

const protocol::packet_kind_of_module requests{
    request_packet, [](protocol::engine &home, const protocol::arrival &packet) {
        window_of(home, packet).target.arrived_locked(home, packet);
    }};
const protocol::packet_kind_of_module replies{
    reply_packet, [](protocol::engine &home, const protocol::arrival &packet) {
        window_of(home, packet).origin.answers.arrived_locked(home, packet);
    }};

const struct listener {
    listener() {
        protocol::active_messages::on_failure([](protocol::engine &home, int peer) {
            registered<window_messages>::each_of(home, [&](window_messages &each) {
                const int member = each.members.comm().local_group().rank_of(peer);
                if (member != MPI_UNDEFINED) {
                    each.peer_failed_locked(home, member);
                }
            });
        });
    }
} failures;

} // namespace

} // namespace lisle::rma
