// SPDX-License-Identifier: Apache-2.0
#include "protocol/eager/inbox.hpp"

#include "base/copy_bytes.hpp"
#include "fabric/mailbox_access.hpp"
#include "protocol/checking/strict_types.hpp"
#include "protocol/core/by_thread.hpp"
#include "protocol/message/refuse.hpp"

namespace lisle::protocol {

namespace {

/// Or a number that is no kind of packets.
std::uint8_t kind_unless(bool observed, packet_kind kind) noexcept {
    return observed ? std::uint8_t{0xff} : static_cast<std::uint8_t>(kind);
}

} // namespace

inbox::inbox(engine_core &core, matching &receives)
    : core_{core}, receives_{receives}, plain_kind_{kind_unless(core.observer != nullptr,
                                                                packet_kind::eager)},
      strict_kind_{kind_unless(core.observer != nullptr, packet_kind::strict_eager)} {
    const int self = core.self.number;
    for (fabric::fabric *const each : core.self.routes.fabrics()) {
        fabric::mailbox_access *const boxes = mailbox_ == nullptr ? each->mailboxes() : nullptr;
        if (boxes != nullptr) {
            mailbox_ = boxes->mailbox_of(self);
            source_ = each;
        } else {
            core.polled.add(*each, is_received_by_thread(*each, self));
        }
    }
    alone_ = mailbox_ != nullptr && core.polled.empty() && core.observer == nullptr;
}

bool inbox::brings_all_of(int peer) const noexcept {
    return peer >= 0 && mailbox_ != nullptr && core_.self.routes.to(peer).source == source_ &&
           core_.observer == nullptr;
}

inline void inbox::arrived_eager(envelope what, std::span<const std::byte> payload,
                                 receive_operation *receive) {
    if (receive != nullptr && !receive->captures) [[likely]] {
        receive->result.source = what.source;
        receive->result.tag = what.tag;
        store_data(*receive, payload);
        if (!engine_core::try_complete(*receive)) [[unlikely]] {
            core_.complete_quietly_locked(*receive);
        }
        return;
    }
    keep_eager(what, payload, receive);
}

void inbox::arrived_strict(envelope what, basic_type sent, std::span<const std::byte> payload) {
    receive_operation *const receive = receives_.match(what);
    if (receive == nullptr || receive->captures) {
        receives_.or_put_back(receive, [&] {
            auto *const message = unexpected_message::make_whole(*core_.self.home, what, payload);
            message->elements = static_cast<std::uint8_t>(sent);
            receives_.keep_locked(*message, receive);
        });
        return;
    }
    receive->result.source = what.source;
    receive->result.tag = what.tag;
    store_data(*receive, payload);
    compare_strict(core_.self.owner, *receive, sent);
    if (!engine_core::try_complete(*receive)) {
        core_.complete_quietly_locked(*receive);
    }
}

int inbox::drain(int most) {
    // Not read again for each packet: what is stored meanwhile could be anything to the compiler.
    matching &receives = receives_;
    const std::uint8_t plain_kind = plain_kind_;
    return mailbox_->drain(
        [ this, &receives, plain_kind ](const fabric::packet_header &header,
                                        std::span<const std::byte> payload, const fabric::cell &packet)
            __attribute__((always_inline)) {
                const envelope what{header.context, header.source, header.tag};
                if (header.kind != plain_kind) [[unlikely]] {
                    arrived_other(packet.sender(), what, packet_manner::of(header), payload);
                } else {
                    arrived_eager(what, payload, receives.match(what));
                }
            },
        read_in_pieces_ == 0 ? most : 1);
}

void inbox::arrived(int peer, const fabric::packet_header &header, std::span<const std::byte> payload) {
    const envelope what{header.context, header.source, header.tag};
    if (header.kind == plain_kind_) {
        arrived_eager(what, payload, receives_.match(what));
    } else {
        arrived_other(peer, what, packet_manner::of(header), payload);
    }
}

void inbox::arrived_other(int peer, envelope what, packet_manner manner, std::span<const std::byte> payload) {
    if (manner.kind == strict_kind_) {
        arrived_strict(what, static_cast<basic_type>(manner.flags), payload);
        return;
    }
    if (peer < 0 || peer >= core_.self.routes.size()) {
        refuse(peer, "comes from nobody", static_cast<unsigned>(peer));
    }
    const packet_handler handler = active_messages::handler_of(manner.kind);
    if (handler == nullptr) {
        refuse(peer, "is of an unknown kind", manner.kind);
    }
    if (core_.observer != nullptr) [[unlikely]] {
        core_.observer->packet_arrived(manner.annotation);
    }
    handler(*core_.self.home, {peer, what, manner.flags, manner.annotation, payload});
}

void inbox::keep_eager(envelope what, std::span<const std::byte> payload, receive_operation *captor) {
    receives_.or_put_back(captor, [&] {
        receives_.keep_locked(*unexpected_message::make_whole(*core_.self.home, what, payload), captor);
    });
}

void inbox::on_eager(const arrival &packet) {
    if (core_.observer == nullptr) {
        arrived_eager(packet.what, packet.payload, receives_.match(packet.what));
        return;
    }
    receive_operation *const receive = receives_.match_observed(packet.what);
    message_observer &observer = *core_.observer;
    observer.message_arrived(packet.what, packet.annotation, receive, receives_.tables());
    if (receive != nullptr && !receive->captures) {
        receive->result.source = packet.what.source;
        receive->result.tag = packet.what.tag;
        store_data(*receive, packet.payload);
        observer.compare(*receive, packet.flags, packet.note);
        core_.complete_quietly_locked(*receive);
        return;
    }
    receives_.or_put_back(receive, [&] {
        auto *const message = unexpected_message::make_whole(*core_.self.home, packet.what, packet.payload);
        message->elements = packet.flags;
        if (packet.note != nullptr) {
            observer.keep(message, *packet.note);
        }
        receives_.keep_locked(*message, receive);
    });
}

take_result inbox::take_longer(std::byte *to, MPI_Count room, envelope pattern, MPI_Status *status,
                               const fabric::cell &packet, wanted_elements elements) {
    const fabric::packet_header header = packet.header; // once more: a peer could have changed it
    const envelope what{header.context, header.source, header.tag};
    const std::uint32_t bytes = header.payload_bytes;
    if (!elements.fit(header.kind, header.flags) || bytes <= fabric::cell::inline_bytes ||
        static_cast<MPI_Count>(bytes) > room || !pattern.accepts(what)) {
        return take_result::impossible;
    }
    copy_bytes(to, mailbox_->take_lines(bytes).data(), bytes);
    mailbox_->consume();
    if (status != MPI_STATUS_IGNORE) {
        outcome{.source = what.source, .tag = what.tag, .bytes = bytes}.store(status);
    }
    return take_result::taken;
}

bool inbox::hold_payload(std::span<const std::byte> payload) noexcept {
    if (mailbox_ == nullptr || !mailbox_->holds(payload.data())) {
        return false;
    }
    mailbox_->hold();
    return true;
}

} // namespace lisle::protocol
