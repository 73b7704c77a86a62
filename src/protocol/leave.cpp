// SPDX-License-Identifier: Apache-2.0
// How packets leave an engine: at once, or from its outbox when there is room; and the packets of streams.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "datatype/copy.hpp"
#include "protocol/handlers.hpp"

namespace lisle::protocol {

using fabric::claim_result;

namespace {

// An announcement takes so much data along even to a rank that wants no unexpected data: to keep the
// announcement costs it no less.
constexpr std::uint64_t most_carried_always = 128;

// Packets that one round of progress may add to a stream: others want the lock, too.
constexpr int stream_batch = 4;

} // namespace

claim_result engine::try_send_packet(int dest, const fabric::packet_header &header, const void *payload,
                                     std::size_t bytes, const typed_buffer &data, std::size_t data_bytes,
                                     bool solicited) {
    if (checks_types_) [[unlikely]] {
        return handlers::try_send_checked(*this, dest, header, payload, bytes, data, data_bytes, solicited);
    }
    fabric::packet_slot slot{};
    auto &carrier = *routes_.to(dest).carrier;
    const auto result = carrier.try_claim(number_, dest, bytes + data_bytes, solicited, slot);
    if (result != claim_result::claimed) {
        return result;
    }
    if (bytes != 0) {
        std::memcpy(slot.payload, payload, bytes);
    }
    if (data_bytes != 0) {
        pack(data, 0, {slot.payload + bytes, data_bytes});
    }
    *slot.header = header; // last, as in try_send_eager()
    slot.header->payload_bytes = static_cast<std::uint32_t>(bytes + data_bytes);
    slot.may_overtake = answers_only(header.kind);
    carrier.publish(dest, slot);
    return result;
}

claim_result engine::try_send_packet(int dest, const fabric::packet_header &header, const void *payload,
                                     std::size_t bytes) {
    return try_send_packet(dest, header, payload, bytes, {}, 0);
}

void engine::send_control(int dest, const fabric::packet_header &header, const void *payload,
                          std::size_t bytes) {
    const std::scoped_lock guard{lock_};
    send_control_locked(dest, header, payload, bytes);
}

void engine::send_control_locked(int dest, const fabric::packet_header &header, const void *payload,
                                 std::size_t bytes) {
    deferred_packet packet{.header = header, .payload = {}, .takes_data = false};
    packet.header.payload_bytes = static_cast<std::uint32_t>(bytes);
    if (bytes != 0) {
        std::memcpy(packet.payload, payload, bytes);
    }
    send_or_defer_locked(dest, packet);
}

void engine::send_or_defer_locked(int dest, deferred_packet &packet) {
    if (!outbox_.has_packets_for(dest)) {
        const auto result = try_send_deferred_locked(dest, packet);
        if (result == claim_result::claimed || result == claim_result::failed) {
            return; // what a failure means for operations is seen to by peer_failed()
        }
    }
    counts_.add(counted::deferred_packets);
    outbox_.add(dest, packet);
    call_senders();
}

claim_result engine::try_send_deferred_locked(int dest, deferred_packet &packet) {
    fabric::packet_header &header = packet.header;
    if (packet.takes_data) {
        announcement said{};
        std::memcpy(&said, packet.payload, sizeof said);
        if (const send_operation *const send = sends_.find(said.sender); send != nullptr) {
            fabric::packet_header with_data = header;
            with_data.flags |= carries_data;
            const auto result = try_send_packet(dest, with_data, packet.payload, sizeof said, send->buffer,
                                                said.bytes, said.bytes <= most_carried_always);
            if (result != claim_result::congested) {
                return result;
            }
        }
        packet.takes_data = false;
    }
    return try_send_packet(dest, header, packet.payload, header.payload_bytes);
}

bool engine::flush_deferred_locked(const fabric::fabric *only) {
    bool any = false;
    outbox_.serve_packets([this, only, &any](int dest, auto &queue) {
        if (only != nullptr && routes_.to(dest).carrier != only) {
            return;
        }
        while (!queue.empty()) {
            const auto result = try_send_deferred_locked(dest, queue.front());
            if (result != claim_result::claimed && result != claim_result::failed) {
                return;
            }
            queue.pop_front();
            any = true;
        }
    });
    return any;
}

std::optional<std::size_t> engine::try_stream(send_operation &send, const typed_buffer &from,
                                              MPI_Count offset, std::size_t most) {
    const fabric::route &way = routes_.to(send.dest);
    auto &fabric = *way.carrier;
    const std::size_t bytes = std::min(most, way.limits.largest_payload);
    fabric::packet_slot slot{};
    if (fabric.try_claim(number_, send.dest, bytes, true, slot) != fabric::claim_result::claimed) {
        return std::nullopt;
    }
    if (from.type->contiguous()) {
        fabric.fill(send.dest, slot, static_cast<const std::byte *>(from.address) + offset, bytes);
    } else {
        pack(from, offset, {slot.payload, bytes});
    }
    *slot.header = {send.receiver_id,
                    0,
                    0,
                    static_cast<std::uint8_t>(packet_kind::data),
                    0,
                    0,
                    static_cast<std::uint32_t>(bytes)};
    fabric.publish(send.dest, slot);
    send.streamed += static_cast<MPI_Count>(bytes);
    return bytes;
}

void engine::end_stream_locked(send_operation &send) {
    sends_.erase(send.id);
    withdraw_buffer(send);
    complete_locked(send);
}

bool engine::push_streams_locked(const fabric::fabric *only) {
    bool any = false;
    std::vector<send_operation *> ended;
    outbox_.serve_streams([&](int dest, auto &queue) {
        if (only != nullptr && routes_.to(dest).carrier != only) {
            return;
        }
        // Each stream in turn, until the first packet that finds no room: then the others find none either.
        bool room = true;
        for (std::size_t rest = queue.size(); rest != 0 && room; --rest) {
            send_operation &send = *queue.front();
            for (int packets = 0; packets < stream_batch && room && send.streamed < send.stream_end;
                 ++packets) {
                const auto left = static_cast<std::size_t>(send.stream_end - send.streamed);
                room = try_stream(send, send.buffer, send.streamed, left).has_value();
                any |= room;
            }
            if (send.streamed == send.stream_end) {
                queue.pop_front();
                ended.push_back(&send);
            } else if (room) {
                queue.pop_front();
                queue.push_back(&send);
            }
        }
    });
    for (send_operation *const each : ended) {
        end_stream_locked(*each);
    }
    return any || !ended.empty();
}

} // namespace lisle::protocol
