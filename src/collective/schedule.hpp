// SPDX-License-Identifier: Apache-2.0
// What one rank does in a collective, written down before it is done: a list of steps that an executor
// takes in order. Sends and receives only begin where they stand; `await` steps say where they must be
// complete. Copies and reductions are done at once. Nothing is moved while a schedule is being built, so
// one schedule serves the blocking, the non-blocking and (run again) the persistent form.
// Invariant: messages between two ranks match in the order of their steps, since all have one tag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "collective/op.hpp"
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

using step = std::variant<send_step, receive_step, copy_step, reduce_step, await_step, await_all_step>;

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

    /// Memory for `count` elements of `type`, laid out as a user would lay them out.
    [[nodiscard]] typed_buffer temporary(MPI_Count count, const datatype &type);
    /// Memory for `bytes` bytes of packed data.
    [[nodiscard]] typed_buffer packed(MPI_Count bytes);

    [[nodiscard]] std::span<const step> steps() const noexcept { return steps_; }

  private:
    void keep(const datatype &type);
    void keep(const op &operation);
    step_index add(const step &next);
    std::byte *allocate(MPI_Count bytes);

    std::vector<step> steps_;
    std::vector<ref<const datatype>> types_; ///< each type once
    ref<const op> operation_;                ///< a schedule has one at most
    std::vector<std::unique_ptr<std::byte[]>> memory_;
};

/// MPI_BYTE: the type of packed data and of messages that carry nothing.
[[nodiscard]] const datatype &byte_type();
/// A message without data.
[[nodiscard]] typed_buffer nothing();
/// Elements [first, first + count) of a buffer. @pre within it
[[nodiscard]] typed_buffer part(const typed_buffer &buffer, MPI_Count first, MPI_Count count) noexcept;

} // namespace lisle::collective
