// SPDX-License-Identifier: Apache-2.0
// The places of a rank's objects in the tables of a replay, by their handles.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace lisle::replay {

/// Places that are free are given again, so that a table is as long as there are objects at a time.
class free_places {
  public:
    [[nodiscard]] std::uint32_t take() {
        if (free_.empty()) {
            return next_++;
        }
        const std::uint32_t place = free_.back();
        free_.pop_back();
        return place;
    }
    void give_back(std::uint32_t place) { free_.push_back(place); }

  private:
    std::uint32_t next_ = 0;
    std::vector<std::uint32_t> free_;
};

/// Several references to one object have one handle, and a place each.
template <class Handle> class known_handles {
  public:
    std::uint32_t note(Handle made) { return places_[made].emplace_back(free_.take()); }
    [[nodiscard]] std::optional<std::uint32_t> find(Handle handle) const {
        const auto found = places_.find(handle);
        return found == places_.end() ? std::nullopt : std::optional{found->second.back()};
    }
    /// What find() has given last is free.
    void forget(Handle freed) {
        const auto found = places_.find(freed);
        if (found == places_.end()) {
            return;
        }
        free_.give_back(found->second.back());
        found->second.pop_back();
        if (found->second.empty()) {
            places_.erase(found);
        }
    }

  private:
    std::unordered_map<Handle, std::vector<std::uint32_t>> places_;
    free_places free_;
};

} // namespace lisle::replay
