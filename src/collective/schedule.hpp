// SPDX-License-Identifier: Apache-2.0
// What one rank does in a collective, written down before it is done: a list of steps that an executor
// takes in order. Sends and receives only begin where they stand; `await` steps say where they must be
// complete. Copies and reductions are done at once. Ranks that share memory need no messages: their steps
// show something on a board (board.hpp), await what others show, and move data straight between buffers.
// Nothing is moved while a schedule is being built, so one schedule serves the blocking, the non-blocking
// and (run again) the persistent form.
// Invariant: messages between two ranks match in the order of their steps, since all have one tag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "collective/board.hpp"
#include "collective/op.hpp"
#include "collective/scratch.hpp"
#include "collective/signature.hpp"
#include "collective/small_vector.hpp"
#include "collective/team.hpp"
#include "communicator/ref.hpp"
#include "protocol/buffer.hpp"

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

// ---- on a board; all begin with enter_step and have one finish_step ----

/// The operation has its turn on the board.
struct enter_step {};

/// Shows data, of which there are at most board::most_bytes.
struct post_step {
    typed_buffer data;
};

/// Shows the addresses of buffers.
struct show_step {
    card shown;
};

/// All of the members [first, last) have posted.
struct await_posts_step {
    int first, last;
};

/// What a member has posted, from `offset` on. It has posted `expected` bytes in all.
struct take_step {
    typed_buffer to;
    int peer;
    std::uint16_t offset, expected;
};

/// The reduction of what the members [first, last) have posted, from `offset` on, `expected` bytes each.
/// `scratch` has room for one contribution if kernels cannot read it where it lies.
struct reduce_posts_step {
    const op *operation;
    typed_buffer to;
    void *scratch;
    int first, last;
    std::uint16_t offset, expected;
};

/// This rank needs nothing of the others any more. `awaited`: some wait for that.
struct finish_step {
    bool awaited;
};

/// The members [first, last) have finished.
struct await_finished_step {
    int first, last;
};

/// Which part of a card a step means.
enum class card_part : unsigned char { whole, block };

/// Bytes [offset, offset + length) of what a member gives, or of the block that it has for this rank.
struct read_step {
    typed_buffer to;
    MPI_Count offset, length;
    int peer;
    card_part what;
};

/// The same, from this rank's buffer to where a member takes it.
struct write_step {
    typed_buffer from;
    MPI_Count offset, length;
    int peer;
    card_part what;
};

/// Where the results of a reduction of shown buffers go.
enum class result_place : unsigned char {
    everywhere,     ///< to what all members take
    one_member,     ///< to what one member takes
    here,           ///< to a buffer of this rank
    prefixes,       ///< to each member the reduction up to itself
    prefixes_before ///< to each member but the first the reduction of those before itself
};

/// Reduces elements [first, first + to.count) of what all members give; `to` tells the type, and the place
/// if that is here.
struct reduce_shown_step {
    const op *operation;
    typed_buffer to;
    void *scratch; ///< room for two pieces, see shown.hpp
    MPI_Count first;
    int member;
    result_place place;
};

using step = std::variant<send_step, receive_step, copy_step, reduce_step, await_step, await_all_step,
                          enter_step, post_step, show_step, await_posts_step, take_step, reduce_posts_step,
                          finish_step, await_finished_step, read_step, write_step, reduce_shown_step>;

/// See the file's head. Owns the memory that its steps use besides the user's buffers, and keeps the
/// datatypes and the operation alive that they name. At the end everything is awaited.
class schedule {
  public:
    step_index send(const typed_buffer &buffer, const team &team, int peer);
    step_index receive(const typed_buffer &buffer, const team &team, int peer);
    /// Does nothing for empty buffers and for a copy onto itself.
    void copy(const typed_buffer &from, const typed_buffer &to);
    void reduce(const op &operation, const typed_buffer &in, const typed_buffer &inout);
    void await(step_index communication);
    void await_all();

    /// From here on the steps are those on a board. One board in a schedule, entered once.
    void enter(board &where);
    void post(const typed_buffer &data);
    void show(const card &shown);
    void await_posts(int first, int last) { add(await_posts_step{first, last}); }
    void take(int peer, MPI_Count offset, MPI_Count expected, const typed_buffer &to);
    void reduce_posts(const op &operation, int first, int last, MPI_Count offset, MPI_Count expected,
                      const typed_buffer &to);
    void finish(bool awaited) { add(finish_step{awaited}); }
    void await_finished(int first, int last) { add(await_finished_step{first, last}); }
    void read(int peer, card_part what, MPI_Count offset, MPI_Count length, const typed_buffer &to);
    void write(int peer, card_part what, MPI_Count offset, MPI_Count length, const typed_buffer &from);
    void reduce_shown(const op &operation, result_place place, int member, MPI_Count first,
                      const typed_buffer &to);
    /// A list of blocks that lives as long as the schedule, for a card.
    [[nodiscard]] const typed_buffer *keep_blocks(std::span<const typed_buffer> blocks);
    /// What the call is, for checks.
    void describe(const call_signature &what) noexcept { signature_ = what; }
    [[nodiscard]] const call_signature &signature() const noexcept { return signature_; }

    /// Null: all is done by messages.
    [[nodiscard]] board *on_board() const noexcept { return board_; }

    /// Memory for `count` elements of `type`, laid out as a user would lay them out.
    [[nodiscard]] typed_buffer temporary(MPI_Count count, const datatype &type);
    /// Memory for `bytes` bytes of packed data.
    [[nodiscard]] typed_buffer packed(MPI_Count bytes);

    [[nodiscard]] std::span<const step> steps() const noexcept { return {steps_.data(), steps_.size()}; }

  private:
    void keep(const datatype &type);
    void keep(const op &operation);
    step_index add(const step &next);
    std::byte *allocate(MPI_Count bytes);

    small_vector<step, 8> steps_;
    std::vector<ref<const datatype>> types_; ///< each type once; predefined types need no keeping
    ref<const op> operation_;                ///< a schedule has one at most
    std::vector<scratch> memory_;
    std::vector<std::unique_ptr<typed_buffer[]>> blocks_;
    board *board_ = nullptr;
    call_signature signature_;
};

/// The data of a buffer as bytes that can be cut anywhere: the buffer itself, or packed memory, which `fill`
/// says to fill first.
[[nodiscard]] typed_buffer as_bytes(schedule &plan, const typed_buffer &buffer, bool fill);
/// Piece `index` of a vector that is cut into `pieces` of nearly equal length.
[[nodiscard]] typed_buffer piece_of(const typed_buffer &vector, int index, int pieces) noexcept;

/// MPI_BYTE: the type of packed data and of messages that carry nothing.
[[nodiscard]] const datatype &byte_type();
/// A message without data.
[[nodiscard]] typed_buffer nothing();
/// Elements [first, first + count) of a buffer. @pre within it
[[nodiscard]] typed_buffer part(const typed_buffer &buffer, MPI_Count first, MPI_Count count) noexcept;

} // namespace lisle::collective
