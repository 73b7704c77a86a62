// SPDX-License-Identifier: Apache-2.0
// What the calling thread has read off its stack before. To go up the stack by the unwinder takes
// microseconds; it goes by the return addresses that it finds, so as long as these are in their places the
// answer is the same. Only where return addresses lie just below the frames that they return to, as on
// x86-64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

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

/// Where a way begins: a function's frame, and where it returns to.
struct stack_start {
    const void *frame = nullptr;
    const void *caller = nullptr;
    friend bool operator==(const stack_start &, const stack_start &) = default;
};

/// The latest answers, of one thread. Their memory is allocated when the first one is kept: a library that is
/// loaded into a running program has little room for variables of threads.
template <class Answer> class known_stacks {
  public:
    /// @return null: not known
    [[nodiscard]] const Answer *find(const stack_start &start) const noexcept {
        if (entries_ == nullptr) {
            return nullptr;
        }
        const entry &each = (*entries_)[index_of(start)];
        return each.start == start && each.way.is_there() ? &each.found : nullptr;
    }
    /// Without memory nothing is kept.
    void keep(const stack_start &start, const stack_way &way, const Answer &found) noexcept {
        if (entries_ == nullptr) {
            entries_.reset(new (std::nothrow) entries);
        }
        if (way.is_known() && entries_ != nullptr) {
            (*entries_)[index_of(start)] = {start, way, found};
        }
    }

  private:
    struct entry {
        stack_start start;
        stack_way way;
        Answer found;
    };
    static constexpr std::size_t most = 64;
    [[nodiscard]] static std::size_t index_of(const stack_start &start) noexcept {
        const std::uint64_t sum = reinterpret_cast<std::uintptr_t>(start.frame) / 16 +
                                  reinterpret_cast<std::uintptr_t>(start.caller);
        return static_cast<std::size_t>(sum * 0x9e3779b97f4a7c15 >> 58);
    }
    using entries = std::array<entry, most>;
    std::unique_ptr<entries> entries_;
};

} // namespace lisle::abi
