// SPDX-License-Identifier: Apache-2.0
// What an engine itself does with packets, by their kind. All with the lock of `home` held.
#pragma once

#include <array>
#include <cstdint>

#include "protocol/engine.hpp"

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
            compare_types(*receive, elements);
        }
        complete_quietly_locked(*receive);
        return;
    }
    keep_eager(what, payload, receive, Typed ? elements : std::uint8_t{0});
}

} // namespace lisle::protocol
