// SPDX-License-Identifier: Apache-2.0
// Whether a variable of a function still exists: the functions that the calling thread or fiber is in, read
// off its stack.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lisle::abi {

/// A call of a function that has not returned, as long as it has not.
struct stack_frame {
    std::uintptr_t end = 0;         ///< just above its variables
    const void *function = nullptr; ///< where its code begins
    std::uintptr_t base = 0;        ///< where the stack begins: no other thread or fiber has the same
    friend auto operator<=>(const stack_frame &, const stack_frame &) = default;
};

/// The calling flow's stack. Slow, some microseconds, unless the thread has looked at the same stack before
/// (known_stacks.hpp).
class stack_frames {
  public:
    [[gnu::noinline]] stack_frames();
    /// The call whose variable lies at this address; nothing: none of this stack.
    [[nodiscard]] std::optional<stack_frame> holder_of(std::uintptr_t address) const;
    /// True if the frame is of this stack and its function has returned. One that has been called again from
    /// the same place cannot be told from the former call: then this is false.
    [[nodiscard]] bool has_ended(const stack_frame &frame) const;

  private:
    struct call {
        std::uintptr_t begin; ///< the stack pointer in it
        const void *function;
    };
    using call_list = std::vector<call>;
    struct walk;
    std::shared_ptr<const call_list> calls_; ///< the innermost first
};

} // namespace lisle::abi
