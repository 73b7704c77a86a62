// SPDX-License-Identifier: Apache-2.0
// What the headers need of std::atomic: including <atomic> takes the compiler as long as a fifth of all of
// lisle.hpp's own.
#pragma once

namespace lisle::detail {

/// A pointer that threads hand to each other. Null at first.
template <class T> class atomic_pointer {
  public:
    atomic_pointer() = default;
    atomic_pointer(const atomic_pointer &) = delete;
    atomic_pointer &operator=(const atomic_pointer &) = delete;

    /// What it points to, for a thread that has stored it, or came after one that has.
    [[nodiscard]] T *get() const noexcept { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
    /// Acquire and release: pairs with itself, so a thread that gets a pointer sees what it points to.
    [[nodiscard]] T *exchange(T *value) noexcept {
        return __atomic_exchange_n(&value_, value, __ATOMIC_ACQ_REL);
    }
    /// True if it was null; then it is `mine` until it is given back. Acquire: pairs with the release there.
    [[nodiscard]] bool claim(T *mine) noexcept {
        T *nobodys = nullptr;
        return __atomic_compare_exchange_n(&value_, &nobodys, mine, false, __ATOMIC_ACQUIRE,
                                           __ATOMIC_RELAXED);
    }
    void give_back() noexcept { __atomic_store_n(&value_, nullptr, __ATOMIC_RELEASE); }

  private:
    T *value_ = nullptr;
};

} // namespace lisle::detail
