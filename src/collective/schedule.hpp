// SPDX-License-Identifier: Apache-2.0
// What one rank does in a collective, written down before it is done: a list of steps that an executor
// takes in order. Sends and receives only begin where they stand; `await` steps say where they must be
// complete. Copies and reductions are done at once. Ranks that share memory need no messages: their steps
// show something on a board (board.hpp), await what others show, and move data straight between buffers.
// Nothing is moved while a schedule is being built, so one schedule serves the blocking, the non-blocking
// and (run again) the persistent form. The exception are blocking calls without messages: see take_at_once.
// Invariant: messages between two ranks match in the order of their steps, since all have one tag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collective/board.hpp"
#include "collective/local_steps.hpp"
#include "collective/op.hpp"
#include "collective/scratch.hpp"
#include "collective/signature.hpp"
#include "collective/small_vector.hpp"
#include "collective/steps.hpp"
#include "collective/team.hpp"
#include "communicator/ref.hpp"
#include "protocol/buffer.hpp"

namespace lisle::collective {

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

    /// Every step is taken at once, waiting if need be, instead of being written down: the schedule stays
    /// empty. For blocking calls whose steps are no messages. @pre no step so far
    void take_at_once(board &where) { at_once_.emplace(&where); }
    /// What has taken them at once, or null.
    [[nodiscard]] const local_steps *taken() const noexcept { return at_once_ ? &*at_once_ : nullptr; }

    /// From here on the steps are those on a board. One board in a schedule, entered once.
    /// @param posted the most that a rank may post
    void enter(board &where, MPI_Count posted = 0);
    void post(const typed_buffer &data);
    void show(const card &shown);
    void await_posts(int first, int last) { add(await_posts_step{first, last}); }
    void take(int peer, MPI_Count offset, MPI_Count expected, const typed_buffer &to);
    void fetch(int peer, const typed_buffer &to);
    void reduce_posts(const op &operation, int first, int last, MPI_Count offset, MPI_Count expected,
                      const typed_buffer &to, bool onto = false);
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
    template <class Step> step_index add(const Step &next) {
        if constexpr (requires(local_steps taker) { taker.take(next); }) {
            if (at_once_) {
                at_once_->finish(next);
                return 0;
            }
        }
        steps_.push_back(next);
        return static_cast<step_index>(steps_.size() - 1);
    }
    std::byte *allocate(MPI_Count bytes);

    small_vector<step, 8> steps_;
    std::vector<ref<const datatype>> types_; ///< each type once; predefined types need no keeping
    ref<const op> operation_;                ///< a schedule has one at most
    std::vector<scratch> memory_;
    /// Short pieces of steps that are taken at once: then the schedule is not moved while they are used.
    alignas(std::max_align_t) std::byte near_[512];
    std::size_t near_used_ = 0;
    std::vector<std::unique_ptr<typed_buffer[]>> blocks_;
    std::optional<local_steps> at_once_;
    board *board_ = nullptr;
    call_signature signature_;
};

/// The data of a buffer as bytes that can be cut anywhere: the buffer itself, or packed memory, which `fill`
/// says to fill first.
[[nodiscard]] typed_buffer as_bytes(schedule &plan, const typed_buffer &buffer, bool fill);
/// Piece `index` of a vector that is cut into `pieces` of nearly equal length.
[[nodiscard]] typed_buffer piece_of(const typed_buffer &vector, int index, int pieces) noexcept;

/// The data of several buffers in one piece, with the places where each begins before them: what fetch steps
/// look into. Copied into the plan's memory by steps.
[[nodiscard]] typed_buffer pack_blocks(schedule &plan, std::span<const typed_buffer> blocks);
/// How many bytes that makes.
[[nodiscard]] MPI_Count packed_bytes(std::span<const typed_buffer> blocks) noexcept;

/// MPI_BYTE: the type of packed data and of messages that carry nothing.
[[nodiscard]] const datatype &byte_type();
/// A message without data.
[[nodiscard]] typed_buffer nothing();
/// Elements [first, first + count) of a buffer. @pre within it
[[nodiscard]] typed_buffer part(const typed_buffer &buffer, MPI_Count first, MPI_Count count) noexcept;

} // namespace lisle::collective
