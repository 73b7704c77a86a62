// SPDX-License-Identifier: Apache-2.0
// Containers for an interrupt handler: memory that they have had once they keep, so they allocate only when
// they are fuller than ever before.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

namespace lisle::fabric {

/// A queue of pointers.
template <class T> class pointer_ring {
  public:
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    /// @pre not empty
    [[nodiscard]] T *front() const noexcept { return places_[first_]; }
    void push_back(T *added) {
        if (size_ == places_.size()) {
            std::vector<T *> more(places_.empty() ? least : 2 * size_);
            for (std::size_t i = 0; i < size_; ++i) {
                more[i] = places_[(first_ + i) % places_.size()];
            }
            places_.swap(more);
            first_ = 0;
        }
        places_[(first_ + size_++) % places_.size()] = added;
    }
    /// @pre not empty
    void pop_front() noexcept {
        first_ = (first_ + 1) % places_.size();
        --size_;
    }

  private:
    static constexpr std::size_t least = 16;
    std::vector<T *> places_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

/// Values by number.
template <class T> class reused_map {
  public:
    [[nodiscard]] bool contains(int number) const { return values_.contains(number); }
    /// The value of a number, a new one if it has none.
    T &operator[](int number) {
        const auto found = values_.find(number);
        if (found != values_.end()) {
            return found->second;
        }
        if (spare_.empty()) {
            return values_[number];
        }
        auto node = std::move(spare_.back());
        spare_.pop_back();
        node.key() = number;
        node.mapped() = T{};
        return values_.insert(std::move(node)).position->second;
    }
    void erase(int number) {
        if (auto node = values_.extract(number); !node.empty()) {
            spare_.push_back(std::move(node));
        }
    }

  private:
    std::unordered_map<int, T> values_;
    std::vector<typename std::unordered_map<int, T>::node_type> spare_;
};

} // namespace lisle::fabric
