// SPDX-License-Identifier: Apache-2.0
// Which function receives the packets of each kind. The engine's own kinds stand in packet.hpp and are added
// in packet_kinds.cpp; modules above it add theirs, with numbers from first_module_kind on, and the engine
// does not know what they mean.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "protocol/message/envelope.hpp"
#include "protocol/message/packet.hpp"

namespace lisle::protocol {

class engine;

/// A packet that has arrived. What it says may be false: it is checked before it is used.
struct arrival {
    int peer;      ///< who sent it, as the fabric says: a number in the job
    envelope what; ///< context, source and tag of the header
    std::uint8_t flags;
    std::uint16_t annotation;
    std::span<const std::byte> payload; ///< valid during the call
    const type_note *note = nullptr;    ///< what the packet says of the message besides; null: nothing
};

/// Called with the lock of `home` held, in any thread of the process: must neither wait nor call user code.
/// May answer with sender::send_control_locked, complete requests with engine_core::complete_locked, and
/// leave longer work to engine_core::do_unlocked.
using packet_handler = void (*)(engine &home, const arrival &packet);

/// Called with the lock of `home` held when a peer has failed, once for each engine.
using failure_handler = void (*)(engine &home, int peer);

class active_messages {
  public:
    /// Adds a kind for good. To be called while the library is loaded, from the initializer of a static
    /// object.
    static void add(std::uint8_t kind, packet_handler handler) noexcept { handlers_[kind] = handler; }
    /// Null: there is no such kind.
    [[nodiscard]] static packet_handler handler_of(std::uint8_t kind) noexcept { return handlers_[kind]; }

    /// Sets the function that is called when a peer fails. There is room for one.
    static void on_failure(failure_handler handler) noexcept { failure_ = handler; }
    static void tell_failure(engine &home, int peer) {
        if (failure_ != nullptr) {
            failure_(home, peer);
        }
    }

  private:
    static inline constinit std::array<packet_handler, 256> handlers_{};
    static inline constinit failure_handler failure_ = nullptr;
};

/// A static object of a module: adds a kind.
struct packet_kind_of_module {
    packet_kind_of_module(std::uint8_t kind, packet_handler handler) noexcept {
        active_messages::add(kind, handler);
    }
};

} // namespace lisle::protocol
