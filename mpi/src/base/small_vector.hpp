// SPDX-License-Identifier: Apache-2.0
// A vector whose first elements lie in the object, for lists that are usually short: short schedules allocate
// no memory. For types that are copied as bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace lisle {

template <class T, std::size_t Inline> class small_vector {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    small_vector() noexcept = default;
    small_vector(std::size_t size, const T &value) {
        reserve(size);
        std::uninitialized_fill_n(data(), size, value);
        size_ = size;
    }
    small_vector(const small_vector &other) = delete;
    small_vector(small_vector &&other) noexcept
        : size_{std::exchange(other.size_, 0)}, capacity_{std::exchange(other.capacity_, Inline)},
          more_{std::move(other.more_)} {
        if (more_ == nullptr) {
            std::uninitialized_copy_n(other.first(), size_, first());
        }
    }
    small_vector &operator=(small_vector &&) = delete;

    void push_back(const T &value) {
        if (size_ == capacity_) {
            const T copy = value; // it may be an element
            reserve(2 * capacity_);
            std::construct_at(data() + size_++, copy);
            return;
        }
        std::construct_at(data() + size_++, value);
    }
    [[nodiscard]] T *data() noexcept {
        return more_ != nullptr ? reinterpret_cast<T *>(more_.get()) : first();
    }
    [[nodiscard]] const T *data() const noexcept { return const_cast<small_vector *>(this)->data(); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] T &operator[](std::size_t index) noexcept { return data()[index]; }
    [[nodiscard]] const T &operator[](std::size_t index) const noexcept { return data()[index]; }
    [[nodiscard]] T *begin() noexcept { return data(); }
    [[nodiscard]] T *end() noexcept { return data() + size_; }
    [[nodiscard]] const T *begin() const noexcept { return data(); }
    [[nodiscard]] const T *end() const noexcept { return data() + size_; }

  private:
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

    void reserve(std::size_t capacity) {
        if (capacity <= capacity_) {
            return;
        }
        auto memory = std::make_unique<std::byte[]>(capacity * sizeof(T));
        std::uninitialized_copy_n(data(), size_, reinterpret_cast<T *>(memory.get()));
        more_ = std::move(memory);
        capacity_ = capacity;
    }
    [[nodiscard]] T *first() noexcept { return reinterpret_cast<T *>(inline_); }

    std::size_t size_ = 0;
    std::size_t capacity_ = Inline;
    std::unique_ptr<std::byte[]> more_;
    alignas(T) std::byte inline_[Inline * sizeof(T)];
};

} // namespace lisle
