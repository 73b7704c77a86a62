// SPDX-License-Identifier: Apache-2.0
// What the calling thread has read off its stack before. To go up the stack by the unwinder takes
// microseconds; it goes by the return addresses that it finds, so as long as these are in their places the
// answer is the same. Only where return addresses lie just below the frames that they return to, as on
// x86-64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "abi/call_address.hpp"

namespace lisle::abi {

/// The return addresses that one way up the stack has passed.
class stack_way {
  public:
    /// The next frame upwards. @param stack_pointer in it @param address where its callee returns to
    void add(std::uintptr_t stack_pointer, std::uintptr_t address) noexcept;
    /// False: there are too many, or they do not lie where they should.
    [[nodiscard]] bool is_known() const noexcept { return known_ && count_ != 0; }
    /// All of them are still there. @pre the stack reaches as far as it did
    [[nodiscard]] bool is_there() const noexcept;

  private:
    struct slot {
        const std::uintptr_t *place;
        std::uintptr_t value;
    };
    std::array<slot, 24> slots_{};
    std::size_t count_ = 0;
    bool known_ = true;
};

/// The latest answers, of one thread.
class known_stacks {
  public:
    /// @param frame from which the way began @return null: not known
    [[nodiscard]] const call_address *find(const void *frame) const noexcept;
    void keep(const void *frame, const stack_way &way, const call_address &found) noexcept;

  private:
    struct entry {
        const void *frame = nullptr;
        stack_way way;
        call_address found;
    };
    [[nodiscard]] static std::size_t index_of(const void *frame) noexcept {
        return (reinterpret_cast<std::uintptr_t>(frame) >> 4) % most;
    }
    static constexpr std::size_t most = 32;
    std::array<entry, most> entries_{};
};

} // namespace lisle::abi
