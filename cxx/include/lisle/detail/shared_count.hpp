// SPDX-License-Identifier: Apache-2.0
// How many copies of an object there are. What the headers need of std::shared_ptr and std::weak_ptr for
// that, which every program that includes the headers would compile.
#pragma once

#include <utility>

namespace lisle::detail {

/// A member of the object that is counted. Copies may be made and dropped by several threads.
class shared_count {
  public:
    shared_count() noexcept = default; ///< counts nothing
    static shared_count begin() { return shared_count{new int{1}}; }
    shared_count(const shared_count &other) noexcept : count_{other.count_} {
        if (count_ != nullptr)
            __atomic_add_fetch(count_, 1, __ATOMIC_RELAXED); // the other copy keeps it
    }
    shared_count &operator=(const shared_count &other) noexcept {
        shared_count copy{other};
        std::swap(count_, copy.count_);
        return *this;
    }
    ~shared_count() {
        // Release and acquire: the last one comes after all others.
        if (count_ != nullptr && __atomic_sub_fetch(count_, 1, __ATOMIC_ACQ_REL) == 0)
            delete count_;
    }
    /// True if there are others. Acquire: pairs with the end of the others.
    [[nodiscard]] bool shared() const noexcept {
        return count_ != nullptr && __atomic_load_n(count_, __ATOMIC_ACQUIRE) > 1;
    }

  private:
    explicit shared_count(int *count) noexcept : count_{count} {}
    int *count_ = nullptr;
};

} // namespace lisle::detail
