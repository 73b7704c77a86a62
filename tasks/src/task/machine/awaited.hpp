// SPDX-License-Identifier: Apache-2.0
// The results that other ranks owe this one: of tasks, contents of objects, values of cells. Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "task/machine/activation.hpp"
#include "task/value/remote.hpp"

namespace lisle::tasks {

/// A result for slots of a record, or for a function.
struct awaited {
    int from;
    record *to;
    std::uint32_t slot;
    std::uint32_t count; ///< how many slots it fills
    continuation then;
    bool is_list = false; ///< one value for each slot
    task kept = {};       ///< what is computed, with its activation, if it may have to be done again
};

/// By the addresses that the ranks which owe the results have been told.
class awaited_results {
  public:
    std::uint64_t add(awaited result) {
        const std::scoped_lock guard{mutex_};
        awaited_.emplace(++last_, std::move(result));
        return last_;
    }
    /// Nothing: this rank owes no result for the address.
    std::optional<awaited> take(std::uint64_t address, int from) {
        const std::scoped_lock guard{mutex_};
        const auto found = awaited_.find(address);
        if (found == awaited_.end() || found->second.from != from) {
            return std::nullopt;
        }
        std::optional<awaited> taken{std::move(found->second)};
        awaited_.erase(found);
        return taken;
    }
    /// All that a rank owes.
    std::vector<awaited> take_all(int from) {
        const std::scoped_lock guard{mutex_};
        std::vector<awaited> taken;
        for (auto each = awaited_.begin(); each != awaited_.end();) {
            if (each->second.from == from) {
                taken.push_back(std::move(each->second));
                each = awaited_.erase(each);
            } else {
                ++each;
            }
        }
        return taken;
    }
    [[nodiscard]] std::uint64_t size() const {
        const std::scoped_lock guard{mutex_};
        return awaited_.size();
    }

  private:
    mutable std::mutex mutex_; ///< for what follows
    std::unordered_map<std::uint64_t, awaited> awaited_;
    std::uint64_t last_ = 0;
};

} // namespace lisle::tasks
