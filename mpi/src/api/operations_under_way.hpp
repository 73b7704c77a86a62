// SPDX-License-Identifier: Apache-2.0
// The operations of a rank whose buffers are watched (pending_buffers.hpp), by where these lie: a call looks
// at those that it meets, however many there are.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "abi/call_address.hpp"
#include "abi/stack_frames.hpp"
#include "base/interval_index.hpp"
#include "datatype/watched_memory.hpp"
#include "execution/wait_note.hpp"

namespace lisle::abi {

/// An operation that the program has begun, or may begin again.
struct watched_operation {
    watched_list used;
    call_address place;
    wait_note::operation about{};
    std::optional<stack_frame> holder; ///< the call whose variable the buffer is
    bool under_way = false;
    bool gone = false;        ///< the buffer does not exist any more
    std::uint64_t number = 0; ///< how many were begun before
};

/// Those that are under way. Not thread-safe.
class operations_under_way {
  public:
    /// May be done again if memory ran out. @param begun stays where it is until remove()
    void add(watched_operation &begun);
    void remove(watched_operation &ended) noexcept;
    /// Calls `function(operation, memory)` for memory of each that lies about these bytes and must not be
    /// accessed at the same time.
    template <class Function>
    void each_about(access_filter::range bytes, bool writes, Function function) const {
        const auto show = [&](const part &each) { function(*each.of, *each.memory); };
        written_.each_meeting(bytes, show);
        if (writes) {
            read_.each_meeting(bytes, show);
        }
    }
    /// Calls `lose(operation)` with those whose buffers are variables of functions that have returned.
    template <class Lose> void take_lost(Lose lose) {
        if (by_holder_.empty()) {
            return;
        }
        const stack_frames stack;
        std::erase_if(by_holder_, [&](const auto &held) {
            if (!stack.has_ended(held.first)) {
                return false;
            }
            for (watched_operation *const each : held.second) {
                lose(*each);
            }
            return true;
        });
    }

  private:
    struct part {
        watched_operation *of = nullptr;
        const watched_memory *memory = nullptr;
        friend auto operator<=>(const part &, const part &) = default;
    };
    [[nodiscard]] interval_index<part> &those_like(const watched_memory &memory) noexcept {
        return memory.how() == watched_memory::use::reads ? read_ : written_;
    }

    interval_index<part> read_, written_;
    std::map<stack_frame, std::set<watched_operation *>> by_holder_;
};

/// From the first byte of the memory to the last one.
[[nodiscard]] inline access_filter::range extent_of(const watched_memory &memory) noexcept {
    const auto ranges = memory.ranges();
    return ranges.empty() ? access_filter::range{0, 0}
                          : access_filter::range{ranges.front().begin, ranges.back().end};
}

} // namespace lisle::abi
