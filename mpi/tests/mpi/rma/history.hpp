// SPDX-License-Identifier: Apache-2.0
// Whether a recorded history of atomic operations on one variable is linearisable: whether there is one order
// of all of them, in which no operation comes before another that had returned when it was called, and which
// explains every value that was fetched. The search is that of Wing and Gong, with a memory of the states it
// has been in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

struct atomic_operation {
    enum class kind : std::int32_t { read, replace, add, exclusive_or, compare_and_swap };
    kind what = kind::read;
    std::int32_t fetches = 1;  ///< whether `fetched` is known
    std::int64_t given = 0;    ///< the operand
    std::int64_t expected = 0; ///< of compare_and_swap
    std::int64_t fetched = 0;  ///< what the variable held before
    std::int64_t called = 0;   ///< when the operation could begin to take effect
    std::int64_t returned = 0; ///< when it had done so, on the same clock
};

/// A number as a variable of so many bytes holds it.
inline std::int64_t wrapped(std::int64_t value, std::size_t bytes) {
    const int unused = static_cast<int>(64 - 8 * bytes);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused) >> unused;
}

/// What the variable holds after the operation.
inline std::int64_t applied(const atomic_operation &operation, std::int64_t held, std::size_t bytes) {
    using kind = atomic_operation::kind;
    switch (operation.what) {
    case kind::replace:
        return operation.given;
    case kind::add:
        return wrapped(static_cast<std::int64_t>(static_cast<std::uint64_t>(held) +
                                                 static_cast<std::uint64_t>(operation.given)),
                       bytes);
    case kind::exclusive_or:
        return held ^ operation.given;
    case kind::compare_and_swap:
        return held == operation.expected ? operation.given : held;
    case kind::read:
        break;
    }
    return held;
}

/// Searches for an order of a history's operations.
class linearisation {
  public:
    /// @param bytes the size of the variable
    linearisation(std::span<const atomic_operation> history, std::size_t bytes)
        : history_{history.begin(), history.end()}, bytes_{bytes}, placed_(history.size(), false) {
        std::ranges::sort(history_, {}, &atomic_operation::called);
    }

    /// Whether there is an order that leads from one value to the other.
    [[nodiscard]] bool exists(std::int64_t first, std::int64_t last) {
        std::vector<step> path{step{first, 0}};
        while (true) {
            step &here = path.back();
            if (path.size() == history_.size() + 1 && here.value == last)
                return true;
            const std::size_t next = find_next(here);
            if (next < history_.size()) {
                here.tried = next + 1;
                here.taken = next;
                placed_[next] = true;
                const std::int64_t value = applied(history_[next], here.value, bytes_);
                if (seen_.emplace(placed_, value).second)
                    path.push_back({value, 0});
                else
                    placed_[next] = false;
                continue;
            }
            path.pop_back();
            if (path.empty())
                return false;
            placed_[path.back().taken] = false;
        }
    }

  private:
    struct step {
        std::int64_t value;    ///< held here
        std::size_t tried;     ///< the operations before this one have been tried
        std::size_t taken = 0; ///< the one that is tried now
    };

    /// The next operation that may come here and explains what it fetched, or the number of operations.
    [[nodiscard]] std::size_t find_next(const step &here) const {
        std::int64_t earliest = INT64_MAX; // whatever was called after an open one's return comes later
        for (std::size_t i = 0; i < history_.size() && history_[i].called <= earliest; ++i)
            if (!placed_[i])
                earliest = std::min(earliest, history_[i].returned);
        for (std::size_t i = here.tried; i < history_.size() && history_[i].called <= earliest; ++i)
            if (!placed_[i] && (history_[i].fetches == 0 || history_[i].fetched == here.value))
                return i;
        return history_.size();
    }

    std::vector<atomic_operation> history_; ///< in the order of the calls
    std::size_t bytes_;
    std::vector<bool> placed_;
    std::set<std::pair<std::vector<bool>, std::int64_t>> seen_;
};

/// @param history operations on one variable of `bytes` bytes, in any order
inline bool is_linearisable(std::span<const atomic_operation> history, std::int64_t first, std::int64_t last,
                            std::size_t bytes = 8) {
    return linearisation(history, bytes).exists(first, last);
}
