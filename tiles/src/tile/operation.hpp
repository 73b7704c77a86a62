// SPDX-License-Identifier: Apache-2.0
// The operations of a core that take time, and the reasons why it hands control back to the software.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tile/network/parameters.hpp"
#include "tile/network/route_header.hpp"

namespace lisle::tile {

enum class action : std::uint8_t {
    work,    ///< compute for `each` cycles
    send,    ///< write `left` words, of which each takes `each` cycles and then waits for room
    receive, ///< read `left` words, of which each takes `each` cycles once it is there
    rest,    ///< wait until a word has arrived
    pause,   ///< wait until machine::wake(); interrupts are taken
};

/// Lives in the caller's frame while it runs. The core keeps the rest of the work in it, so an operation that
/// an interrupt has stopped goes on when it is started again.
struct operation {
    action what = action::work;
    cycle each = 0;
    word *words = nullptr;
    std::size_t left = 0;
    bool until_dry = false; ///< receive: stop early when no word is there
    bool whole = false;     ///< send: interrupts are taken only while there is no room
    bool or_words = false;  ///< pause: ends also when a word waits
    int awaits = -1; ///< the tile that the program waits for, for reports of a standstill; -1: any or none
};

enum class wake_reason : std::uint8_t {
    done,
    interrupted, ///< words wait and interrupts are on: the handler has to run, then the operation goes on
    stopped,     ///< the model ends: the program must return
};

/// The activities that a core's cycles are booked under.
enum class phase : std::uint8_t { compute, memory, library, send, stalled, receive, interrupt, waiting };
inline constexpr std::size_t phases = 8;
[[nodiscard]] constexpr const char *name_of(phase p) noexcept {
    constexpr const char *names[] = {"compute", "memory",  "library",   "send",
                                     "stalled", "receive", "interrupt", "waiting"};
    return names[static_cast<std::size_t>(p)];
}

} // namespace lisle::tile
