// SPDX-License-Identifier: Apache-2.0
// A changing number of operations under way whose results matter.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "lisle/request/request_pool.hpp"

namespace lisle {

/// Owns futures of one type and gives their results as they come. Dropping the pool waits for all.
///
///     lisle::future_pool<std::string> answers;
///     for (int other = 0; other < world.size(); ++other)
///         answers.add(world.ireceive<std::string>(other));
///     while (auto next = answers.wait_any())
///         use(next->number, next->value);
template <class T> class future_pool {
    static_assert(!std::is_void_v<T>, "These futures give nothing: a lisle::request_pool waits for them.");

  public:
    /// A result, and the number that add() gave to its future.
    struct numbered {
        std::size_t number;
        T value;
    };

    /// Takes a future. Numbers count the futures that this pool was ever given.
    std::size_t add(future<T> &&under_way) {
        waiting_.push_back({added_, std::move(under_way)});
        return added_++;
    }
    /// How many have not given their results.
    [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
    /// True if all results have been given.
    [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }

    /// Waits for one more result, whichever comes first; nothing if the pool is empty. Throws what the
    /// operation failed with, which then is no longer in the pool.
    std::optional<numbered> wait_any() { return next(true); }
    /// The same without waiting: nothing if no result has come, too.
    std::optional<numbered> test_any() { return next(false); }
    /// Waits for all and returns their results in the order of add(). The pool is empty then.
    std::vector<T> wait_all() {
        std::vector<T> results;
        results.reserve(waiting_.size());
        for (entry &each : std::exchange(waiting_, {}))
            results.push_back(each.operation.wait());
        return results;
    }

  private:
    struct entry {
        std::size_t number;
        future<T> operation;
    };

    std::optional<numbered> next(bool wait) {
        std::optional<std::size_t> found;
        std::vector<request *> list;
        list.reserve(waiting_.size());
        for (std::size_t i = 0; i < waiting_.size() && !found; ++i) {
            list.push_back(&waiting_[i].operation);
            if (request_access::complete(waiting_[i].operation))
                found = i; // another call has waited for it
        }
        if (!found)
            found = detail::complete_any(list, wait);
        if (!found)
            return std::nullopt;
        const auto position = waiting_.begin() + static_cast<std::ptrdiff_t>(*found);
        entry done = std::move(*position);
        waiting_.erase(position);
        return numbered{done.number, done.operation.take()};
    }

    std::vector<entry> waiting_;
    std::size_t added_ = 0;
};

} // namespace lisle
