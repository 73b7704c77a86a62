// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace lisle::protocol {

/// Names objects by numbers that other processes may be told: an index and a generation, so that a
/// stale or invented number finds nothing. Not thread-safe.
template <class T> class id_table {
  public:
    [[nodiscard]] std::uint64_t insert(T &target) {
        if (free_.empty()) {
            entries_.push_back({});
            free_.reserve(entries_.capacity()); // erase() must find room
            free_.push_back(static_cast<std::uint32_t>(entries_.size() - 1));
        }
        const std::uint32_t index = free_.back();
        free_.pop_back();
        entries_[index].target = &target;
        return std::uint64_t{entries_[index].generation} << 32 | index;
    }

    [[nodiscard]] T *find(std::uint64_t id) const noexcept {
        const auto index = static_cast<std::uint32_t>(id);
        return index < entries_.size() && entries_[index].generation == id >> 32 ? entries_[index].target
                                                                                 : nullptr;
    }

    /// @pre find(id) is not null
    void erase(std::uint64_t id) noexcept {
        const auto index = static_cast<std::uint32_t>(id);
        entries_[index].target = nullptr;
        ++entries_[index].generation;
        free_.push_back(index);
    }

    /// Calls `use(id, target)` for each, which it may erase.
    template <class Use> void each(Use use) {
        for (std::uint32_t index = 0; index < entries_.size(); ++index) {
            if (T *const target = entries_[index].target) {
                use(std::uint64_t{entries_[index].generation} << 32 | index, *target);
            }
        }
    }

  private:
    struct entry {
        T *target = nullptr;
        std::uint32_t generation = 1;
    };
    std::vector<entry> entries_;
    std::vector<std::uint32_t> free_;
};

} // namespace lisle::protocol
