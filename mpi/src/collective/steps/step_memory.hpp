// SPDX-License-Identifier: Apache-2.0
// The memory that the steps of one collective use besides the user's buffers: temporary buffers, and lists of
// blocks. What has it, a schedule or what takes steps at once, keeps it until the last step is taken.
// Invariant: nothing moves or goes away while it lives, so steps may name it by address.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "collective/block_view.hpp"
#include "collective/steps/scratch.hpp"
#include "datatype/predefined.hpp"
#include "datatype/typed_buffer.hpp"

namespace lisle::collective {

class step_memory {
  public:
    step_memory() = default;
    /// @param near memory for the first short pieces, which need no allocation then; aligned for all types
    explicit step_memory(std::span<std::byte> near) noexcept : near_{near} {}

    /// Memory for `count` elements of `type`, laid out as a user would lay them out.
    [[nodiscard]] typed_buffer temporary(MPI_Count count, const datatype &type);
    /// Memory for `bytes` bytes of packed data.
    [[nodiscard]] typed_buffer packed(MPI_Count bytes);
    /// A copy of a list of blocks, for a descriptor.
    [[nodiscard]] const typed_buffer *keep_blocks(const block_view &blocks);

  private:
    std::byte *allocate(MPI_Count bytes);

    std::span<std::byte> near_; ///< what is left of it
    std::vector<scratch> memory_;
    std::vector<std::unique_ptr<typed_buffer[]>> blocks_;
};

/// The bytes between the lowest and the highest of `count` elements of a type, laid out as a user would do
/// it.
[[nodiscard]] MPI_Count spread_bytes(MPI_Count count, const datatype &type) noexcept;
/// The elements in so much memory.
[[nodiscard]] typed_buffer spread_over(std::byte *memory, MPI_Count count, const datatype &type) noexcept;

} // namespace lisle::collective
