// SPDX-License-Identifier: Apache-2.0
// Which part of an engine receives the packets of each of its own kinds (message/packet.hpp).
#include "protocol/engine.hpp"
#include "protocol/message/read_payload.hpp"

namespace lisle::protocol {

namespace {

/// Gives a packet to a part of its engine. @param Part returns the part
template <auto Part, auto Handle> void give(engine &home, const arrival &packet) {
    ((home.*Part)().*Handle)(packet);
}

/// The same for a packet whose payload begins with a note about the message.
template <packet_handler Handle> void give_with_note(engine &home, const arrival &packet) {
    if (home.core().observer == nullptr) {
        refuse(packet.peer, "describes a message to a rank that compares none", packet.payload.size());
    }
    const auto note = read_payload<type_note>(packet);
    arrival rest = packet;
    rest.payload = packet.payload.subspan(sizeof note);
    rest.note = &note;
    Handle(home, rest);
}

constexpr packet_handler eager = give<&engine::in, &inbox::on_eager>;
constexpr packet_handler take_announcement = give<&engine::transfers, &announced_receives::on_announcement>;

const struct own_kinds {
    own_kinds() noexcept {
        add(packet_kind::eager, eager);
        add(packet_kind::strict_eager, eager);
        add(packet_kind::described_eager, give_with_note<eager>);
        add(packet_kind::announcement, take_announcement);
        add(packet_kind::described_announcement, give_with_note<take_announcement>);
        add(packet_kind::data, give<&engine::transfers, &announced_receives::on_data>);
        add(packet_kind::written, give<&engine::transfers, &announced_receives::on_written>);
        add(packet_kind::delivered, give<&engine::transfers, &announced_receives::on_delivered>);
        add(packet_kind::cancel, give<&engine::transfers, &announced_receives::on_cancel>);
        add(packet_kind::clear_to_send, give<&engine::sends, &announced_sends::on_clear_to_send>);
        add(packet_kind::offer, give<&engine::sends, &announced_sends::on_offer>);
        add(packet_kind::done, give<&engine::sends, &announced_sends::on_done>);
        add(packet_kind::cancel_answer, give<&engine::sends, &announced_sends::on_cancel_answer>);
    }
    static void add(packet_kind kind, packet_handler handler) noexcept {
        active_messages::add(static_cast<std::uint8_t>(kind), handler);
    }
} registered;

} // namespace

} // namespace lisle::protocol
