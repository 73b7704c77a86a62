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
#include <span>

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
/// loaded into a running program has little room for variables of threads. It grows with what the thread
/// calls from, and with the stacks that it has: it may run the fibers of a thousand ranks.
template <class Answer> class known_stacks {
  public:
    /// @return null: not known
    [[nodiscard]] const Answer *find(const stack_start &start) const noexcept {
        // Several may have this start: calls of one function from lines that are as deep on the stack.
        for (const entry &each : set_of(start)) {
            if (each.start == start && each.way.is_there()) {
                return &each.found;
            }
        }
        return nullptr;
    }
    /// Without memory nothing is kept. @pre it is not known
    void keep(const stack_start &start, const stack_way &way, const Answer &found) noexcept {
        if (!way.is_known() || (sets_ == 0 && !resize(least))) {
            return;
        }
        if (replaced_ > sets_ * ways && sets_ < most) {
            (void)resize(2 * sets_);
        }
        place_for(start) = {start, way, found};
    }

  private:
    struct entry {
        stack_start start;
        stack_way way;
        Answer found;
    };
    static constexpr std::size_t ways = 16;
    static constexpr std::size_t least = 4, most = 1024; ///< sets; powers of two

    [[nodiscard]] std::span<entry> set_of(const stack_start &start) const noexcept {
        if (sets_ == 0) {
            return {};
        }
        const std::uint64_t sum = reinterpret_cast<std::uintptr_t>(start.frame) / 16 +
                                  reinterpret_cast<std::uintptr_t>(start.caller);
        const std::size_t set = static_cast<std::size_t>(sum * 0x9e3779b97f4a7c15 >> 40) & (sets_ - 1);
        return {entries_.get() + set * ways, ways};
    }
    /// An empty one of the set, or any: the oldest would be the next one that is wanted where a program goes
    /// through more places than there is room for in turn.
    [[nodiscard]] entry &place_for(const stack_start &start) noexcept {
        const std::span<entry> set = set_of(start);
        for (entry &each : set) {
            if (each.start == stack_start{}) {
                return each;
            }
        }
        ++replaced_;
        chance_ = chance_ * 6364136223846793005 + 1442695040888963407;
        return set[chance_ >> 60];
    }
    /// Forgets all. @return false: there is no memory, and all is as it was
    bool resize(std::size_t sets) noexcept {
        auto *const made = new (std::nothrow) entry[sets * ways];
        if (made == nullptr) {
            return false;
        }
        entries_.reset(made);
        sets_ = sets;
        replaced_ = 0;
        return true;
    }

    std::unique_ptr<entry[]> entries_;
    std::size_t sets_ = 0;
    std::size_t replaced_ = 0; ///< since the memory last grew
    std::uint64_t chance_ = 0;
};

} // namespace lisle::abi
