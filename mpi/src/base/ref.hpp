// SPDX-License-Identifier: Apache-2.0
// A share of an object that counts its owners (retain/release). Groups, communicators and error handlers
// are held by handles of the user, by each other and by active requests; a `ref` keeps the object alive,
// and the last one to let go destroys it.
#pragma once

#include <utility>

namespace lisle {

/// Null or one share of a `T`, which has `retain()` and `release()`.
template <class T> class ref {
  public:
    ref() noexcept = default;
    ref(const ref &other) noexcept : target_{other.target_} {
        if (target_ != nullptr) {
            target_->retain();
        }
    }
    ref(ref &&other) noexcept : target_{std::exchange(other.target_, nullptr)} {}
    ref &operator=(ref other) noexcept {
        std::swap(target_, other.target_);
        return *this;
    }
    ~ref() {
        if (target_ != nullptr) {
            target_->release();
        }
    }

    /// Takes over a share that the caller has (a new object begins with one).
    [[nodiscard]] static ref adopt(T *target) noexcept {
        ref result;
        result.target_ = target;
        return result;
    }
    /// Takes a share of its own.
    [[nodiscard]] static ref share(T &target) noexcept {
        target.retain();
        return adopt(&target);
    }
    /// Passes the share to the caller, which has to release it.
    [[nodiscard]] T *give() noexcept { return std::exchange(target_, nullptr); }

    [[nodiscard]] T *get() const noexcept { return target_; }
    [[nodiscard]] T &operator*() const noexcept { return *target_; }
    [[nodiscard]] T *operator->() const noexcept { return target_; }
    [[nodiscard]] explicit operator bool() const noexcept { return target_ != nullptr; }

  private:
    T *target_ = nullptr;
};

} // namespace lisle
