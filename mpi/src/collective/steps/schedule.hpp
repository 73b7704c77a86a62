// SPDX-License-Identifier: Apache-2.0
// What one rank does in a collective, written down before it is done: a list of steps that an executor
// takes in order. Sends and receives only begin where they stand; `await` steps say where they must be
// complete. Copies and reductions are done at once. Ranks that share memory need no messages: their steps
// show something on an area (collective_area.hpp), await what others show, and move data straight between
// buffers. Nothing is moved while a schedule is being built, so one schedule serves the blocking, the
// non-blocking and (run again) the persistent form. Blocking calls without messages save it: see
// immediate_steps.hpp. Invariant: messages between two ranks match in the order of their steps, since all
// have one tag.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ref.hpp"
#include "base/small_vector.hpp"
#include "collective/area/collective_area.hpp"
#include "collective/signature.hpp"
#include "collective/steps/parts.hpp"
#include "collective/steps/step_memory.hpp"
#include "collective/steps/steps.hpp"
#include "collective/team.hpp"
#include "datatype/typed_buffer.hpp"
#include "reduction/op.hpp"

namespace lisle::collective {

/// See the file's head. Keeps the datatypes and the operation alive that its steps name. At the end
/// everything is awaited. An empty one costs nothing: most blocking calls need no other.
class schedule {
  public:
    schedule() noexcept {} // not `= default`, which would have its memory set to zeros
    // As step_memory's.
    [[nodiscard]] typed_buffer temporary(MPI_Count count, const datatype &type) {
        return contents().memory.temporary(count, type);
    }
    [[nodiscard]] typed_buffer packed(MPI_Count bytes) { return contents().memory.packed(bytes); }
    /// Keeps the types of the blocks, too.
    [[nodiscard]] const typed_buffer *keep_blocks(const block_view &blocks);

    step_index send(const typed_buffer &buffer, const team &team, int peer);
    step_index receive(const typed_buffer &buffer, const team &team, int peer);
    /// Does nothing for empty buffers and for a copy onto itself.
    void copy(const typed_buffer &from, const typed_buffer &to);
    void reduce(const op &operation, const typed_buffer &in, const typed_buffer &inout);
    void await(step_index communication);
    void await_all();

    /// Says that all is done already: the schedule stays empty and is not to be run.
    void note_done() noexcept { done_ = true; }
    [[nodiscard]] bool done() const noexcept { return done_; }

    /// The steps up to finish() are an operation in an area. A schedule uses one area, for several operations
    /// one after the other if need be.
    /// @param posted the most that a rank may post
    /// @param posts whether the calling rank posts anything
    /// @param one_way no rank waits for one that waits for it
    void enter(collective_area &where, MPI_Count posted = 0, bool posts = true, bool one_way = false);
    /// The same for all operations but the first.
    void enter_next(collective_area &where, MPI_Count posted, bool posts) { enter(where, posted, posts); }
    /// See pass_caches_step.
    void pass_caches() { add(pass_caches_step{}); }
    /// See post_step.
    void post(const typed_buffer &data, readers who = readers::everyone, bool in_parts = false);
    void post(const block_view &blocks, bool in_parts) {
        add(post_blocks_step{{keep_blocks(blocks), static_cast<std::size_t>(blocks.size())}, in_parts});
    }
    void expose(const buffer_descriptor &exposed);
    void await_posts(int first, int last) { add(await_posts_step{first, last}); }
    /// See all_posted_step.
    void note_all_posted() { add(all_posted_step{}); }
    void take(int peer, MPI_Count offset, MPI_Count expected, const typed_buffer &to);
    /// Awaits and takes all that a member posts.
    void take_post(int peer, const typed_buffer &to) {
        await_posts(peer, peer + 1);
        take(peer, 0, to.bytes(), to);
    }
    /// The same of each other member whose block is `most` bytes long at most.
    /// @param blocks where it belongs
    void take_posts(const block_view &blocks, MPI_Count most);
    void fetch(int peer, const typed_buffer &to);
    void reduce_posts(const op &operation, int first, int last, MPI_Count offset, MPI_Count expected,
                      const typed_buffer &to, pairing how = pairing::near_first);
    void finish(bool awaited) { add(finish_step{awaited}); }
    void await_finished(int first, int last) { add(await_finished_step{first, last}); }
    void read(int peer, exposed_part what, MPI_Count offset, MPI_Count length, const typed_buffer &to);
    void write(int peer, exposed_part what, MPI_Count offset, MPI_Count length, const typed_buffer &from);
    void reduce_peers(const op &operation, result_place place, int member, MPI_Count first,
                      const typed_buffer &to);
    /// What the call is, for checks.
    void describe(const call_signature &what) { contents().signature = what; }
    [[nodiscard]] call_signature signature() const {
        return contents_ ? contents_->signature : call_signature{};
    }

    /// Null: all is done by messages.
    [[nodiscard]] collective_area *area() const noexcept { return contents_ ? contents_->where : nullptr; }
    /// How many operations there are in it.
    [[nodiscard]] unsigned phases() const noexcept { return contents_ ? contents_->phases : 0; }

    [[nodiscard]] std::span<const step> steps() const noexcept {
        return contents_ ? std::span<const step>{contents_->steps.data(), contents_->steps.size()}
                         : std::span<const step>{};
    }

  private:
    struct body {
        body() {} // not `= default`, which would have its memory set to zeros
        step_memory memory;
        small_vector<step, 8> steps;
        std::vector<ref<const datatype>> types; ///< each type once; predefined types need no keeping
        ref<const op> operation;                ///< a schedule has one at most
        collective_area *where = nullptr;
        unsigned phases = 0;
        call_signature signature;
    };
    [[nodiscard]] body &contents() { return contents_ ? *contents_ : contents_.emplace(); }

    void keep(const datatype &type);
    void keep(const op &operation);
    template <class Step> step_index add(const Step &next) {
        auto &steps = contents().steps;
        steps.push_back(next);
        return static_cast<step_index>(steps.size() - 1);
    }

    std::optional<body> contents_;
    bool done_ = false;
};

/// The data of a buffer as bytes that can be cut anywhere: the buffer itself, or packed memory, which `fill`
/// says to fill first.
template <class Plan> [[nodiscard]] typed_buffer as_bytes(Plan &plan, const typed_buffer &buffer, bool fill) {
    if (buffer.type->contiguous()) {
        return {buffer.address, buffer.bytes(), byte_type()};
    }
    const typed_buffer packed = plan.packed(buffer.bytes());
    if (fill) {
        plan.copy(buffer, packed);
    }
    return packed;
}
/// False for empty buffers and for a copy onto itself. Throws if the data do not fit.
[[nodiscard]] bool is_to_copy(const typed_buffer &from, const typed_buffer &to);

/// A message without data.
[[nodiscard]] typed_buffer nothing();
/// All blocks of an array as one buffer. @pre there are any, one after the other and equal
[[nodiscard]] typed_buffer whole(const block_view &blocks) noexcept;

} // namespace lisle::collective
