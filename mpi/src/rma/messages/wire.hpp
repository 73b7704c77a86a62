// SPDX-License-Identifier: Apache-2.0
// What origins and targets say to each other where the origin has no address for the target's memory. A
// request names runs of the target's memory and brings the data for them; an operation is cut into as many
// requests as it takes. The header of each packet has the window's context, the sender's rank in the window,
// and in `flags` the kind. Packets between two ranks stay in order, so the answer to a flush says that all
// before it is done.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/message/packet.hpp"

namespace lisle::rma {

inline constexpr std::uint8_t request_packet = protocol::first_module_kind + 8;
inline constexpr std::uint8_t reply_packet = protocol::first_module_kind + 9;

enum class request_kind : std::uint8_t {
    put,      ///< runs, then their data
    get,      ///< runs; answered with their data
    update,   ///< runs of elements, then the operands if the operation reads any; answered with the former
              ///< values if `id` is not 0
    compare,  ///< one run, then the value to compare with and the new one; answered with the former value
    flush,    ///< answered when all earlier requests are done
    lock,     ///< `operation` is the kind of the lock; answered when the target's lock is held
    try_lock, ///< the same, without waiting: answered not_free if it is held
    unlock,   ///< the same; answered when it has been given back, if `id` is not 0
    answer,   ///< never sent: a target that found no room keeps its answer like a request
};

struct request_head {
    std::uint64_t id = 0;     ///< of the origin's operation; 0: no answer is wanted
    std::uint64_t offset = 0; ///< where in the operation's result the answer's data belong
    std::uint32_t runs = 0;
    std::uint16_t element = 0;   ///< update, compare: handle of the predefined datatype
    std::uint16_t operation = 0; ///< update: handle of the predefined operation
};
static_assert(sizeof(request_head) == 24);

struct memory_run {
    std::uint64_t address; ///< in the target's terms
    std::uint64_t bytes;   ///< of data, gaps not counted
};

/// In place of an error class, as the answer to try_lock.
inline constexpr int not_free = -1;

enum class reply_kind : std::uint8_t { data, done };

struct reply_head {
    std::uint64_t id = 0;
    std::uint64_t offset = 0; ///< done: the rank whose failure is the error, plus one; 0: none
    std::int64_t error = 0;   ///< done: the class of what went wrong
};
static_assert(sizeof(reply_head) == 24);

} // namespace lisle::rma
