// SPDX-License-Identifier: Apache-2.0
// What an engine itself does with packets, by their kind. All with the lock of `home` held.
#pragma once

#include <array>
#include <cstdint>

#include "protocol/engine.hpp"
#include "protocol/matching/type_notes.hpp"

namespace lisle::protocol {

struct engine::handlers {
    /// A handler for each kind of the engine's own; null for the others.
    static constexpr std::array<packet_handler, 256> table();

    static void on_eager(engine &home, const arrival &packet);
    static void on_announcement(engine &home, const arrival &packet);
    static void on_clearance(engine &home, const arrival &packet);
    static void on_data(engine &home, const arrival &packet);
    static void on_offer(engine &home, const arrival &packet);
    static void on_written(engine &home, const arrival &packet);
    static void on_done(engine &home, const arrival &packet);
    static void on_cancel(engine &home, const arrival &packet);
    static void on_cancel_answer(engine &home, const arrival &packet);
    static void on_described_eager(engine &home, const arrival &packet);
    static void on_described_announcement(engine &home, const arrival &packet);

    /// An announced message has come. @param note what the packet says besides, if anything
    static void announced(engine &home, const arrival &packet, const type_note *note);

    // described.cpp
    [[nodiscard]] static bool describes(const engine &home, const datatype &type, int dest) noexcept;
    /// try_send_eager() of a message that is described.
    [[nodiscard]] static fabric::claim_result try_send_described(engine &home, const typed_buffer &buffer,
                                                                 const envelope &what, int dest,
                                                                 std::size_t bytes);
    /// try_send_packet() by a rank that checks: an announcement takes along what is said of its message.
    [[nodiscard]] static fabric::claim_result
    try_send_checked(engine &home, int dest, fabric::packet_header header, const void *payload,
                     std::size_t bytes, const typed_buffer &data, std::size_t data_bytes, bool solicited);

    /// A message has come, which this receive takes if it is not null.
    static void note_arrival(engine &home, const arrival &packet, const receive_operation *taker);
    /// The send that a peer names; it must be one to that peer.
    [[nodiscard]] static send_operation &named_send(engine &home, const arrival &packet, std::uint64_t id,
                                                    const char *otherwise);
    /// After a failure or a revocation answers may come to sends that have ended.
    [[nodiscard]] static bool is_over(engine &home, std::uint64_t send) noexcept;
};

template <bool Typed> inline void engine::arrived_eager(envelope what, std::uint8_t elements,
                                                        std::span<const std::byte> payload,
                                                        receive_operation *receive) {
    if (receive != nullptr && !receive->captures) [[likely]] {
        receive->result.source = what.source;
        receive->result.tag = what.tag;
        store_data(*receive, payload);
        if constexpr (Typed) {
            if (!type_notes::are_alike(elements, *receive->buffer.type)) [[unlikely]] {
                notes_->compare(*receive, elements, nullptr);
            }
        }
        complete_quietly_locked(*receive);
        return;
    }
    keep_eager(what, payload, receive, Typed ? elements : std::uint8_t{0});
}

} // namespace lisle::protocol
