// SPDX-License-Identifier: Apache-2.0
// The steps that collectives are made of (see schedule.hpp): plain values, which say what is to be done and
// own nothing. Those in the first group are messages; the others are done by the calling rank itself, alone
// or with what the others have left on an area (collective_area.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "collective/area/collective_area.hpp"
#include "datatype/typed_buffer.hpp"
#include "protocol/message/channel.hpp"
#include "reduction/op.hpp"

namespace lisle::collective {

/// The place of a step in its schedule.
using step_index = std::uint32_t;

struct send_step {
    typed_buffer buffer;
    const protocol::channel *channel;
    int peer;
};

struct receive_step {
    typed_buffer buffer;
    const protocol::channel *channel;
    int peer;
};

/// The two hold the same number of bytes of data and do not overlap.
struct copy_step {
    typed_buffer from;
    typed_buffer to;
};

/// inout[i] = in[i] op inout[i]: `in` holds what comes first in the order of ranks.
struct reduce_step {
    const op *operation;
    typed_buffer in;
    typed_buffer inout;
};

/// The send or receive step with this index must be complete before the next step.
struct await_step {
    step_index awaited;
};

/// All sends and receives before this step must be complete.
struct await_all_step {};

// ---- on an area; each operation begins with enter_step and has one finish_step ----

/// The operation has its turn on the area, and a place if the rank posts anything.
struct enter_step {
    collective_area::place at;
    bool posts;
};

/// The steps that follow are another operation in the same area, which begins with an enter_step of its own.
struct next_phase_step {};

/// From here on copies leave the caches alone: the ranks move more than those hold.
struct pass_caches_step {};

/// Shows data, no more than the area takes. Nobody but `who` awaits it; in_parts: they have nothing else to
/// do meanwhile.
struct post_step {
    typed_buffer data;
    readers who;
    bool in_parts;
};

/// Shows the data of a block for each other rank, together no more than the area takes.
struct post_blocks_step {
    std::span<const typed_buffer> blocks;
    bool in_parts;
};

/// Shows the addresses of buffers.
struct expose_step {
    buffer_descriptor exposed;
};

/// All of the members [first, last) have posted.
struct await_posts_step {
    int first, last;
};

/// All members have posted in the phase before this, as a post of this one has told.
struct all_posted_step {};

/// What a member has posted, from `offset` on. It has posted `expected` bytes in all.
struct take_step {
    typed_buffer to;
    int peer;
    std::uint32_t offset, expected;
};

/// The block that a member has for this rank: out of those that it has posted, or by its descriptor;
/// then that member awaits that this rank finishes.
struct fetch_step {
    typed_buffer to;
    int peer;
};

/// In which order a reduction combines what members give: neighbours first; those first that are half of all
/// away, as recursive halving does, which is no order of ranks; or one by one with what lies there already.
enum class pairing : unsigned char { near_first, far_first, none };

/// The reduction of what the members [first, last) have posted, from `offset` on, `expected` bytes each, and
/// without a pairing of what `to` holds, too. `scratch` has room for one contribution if kernels cannot read
/// it where it lies, and with a pairing for what in_pairs.hpp says.
struct reduce_posts_step {
    const op *operation;
    typed_buffer to;
    void *scratch;
    int first, last;
    std::uint32_t offset, expected;
    pairing how;
};

/// True if kernels can read posts where they lie; users' functions may count on alignment, and on gaps.
[[nodiscard]] inline bool reduces_in_place(const op &operation, const typed_buffer &to) noexcept {
    return operation.predefined() && to.type->contiguous();
}

/// This rank needs nothing of the others any more. `awaited`: some wait for that.
struct finish_step {
    bool awaited;
};

/// The members [first, last) have finished.
struct await_finished_step {
    int first, last;
};

/// Which part of a descriptor a step means.
enum class exposed_part : unsigned char { whole, block };

/// Bytes [offset, offset + length) of what a member gives, or of the block that it has for this rank.
struct read_step {
    typed_buffer to;
    MPI_Count offset, length;
    int peer;
    exposed_part what;
};

/// The same, from this rank's buffer to where a member takes it.
struct write_step {
    typed_buffer from;
    MPI_Count offset, length;
    int peer;
    exposed_part what;
};

/// Where the results of a reduction of exposed buffers go.
enum class result_place : unsigned char {
    everywhere,     ///< to what all members take
    one_member,     ///< to what one member takes
    here,           ///< to a buffer of this rank
    prefixes,       ///< to each member the reduction up to itself
    prefixes_before ///< to each member but the first the reduction of those before itself
};

/// Reduces elements [first, first + to.count) of what all members give; `to` tells the type, and the place
/// if that is here.
struct reduce_peers_step {
    const op *operation;
    typed_buffer to;
    void *scratch; ///< room for pieces, see peer_buffer.hpp
    MPI_Count first;
    int member;
    result_place place;
};

using step =
    std::variant<send_step, receive_step, copy_step, reduce_step, await_step, await_all_step, enter_step,
                 next_phase_step, pass_caches_step, post_step, post_blocks_step, expose_step,
                 await_posts_step, all_posted_step, take_step, fetch_step, reduce_posts_step, finish_step,
                 await_finished_step, read_step, write_step, reduce_peers_step>;

} // namespace lisle::collective
