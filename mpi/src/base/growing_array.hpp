// SPDX-License-Identifier: Apache-2.0
// An array that grows and never moves: addresses for its greatest size are reserved at once, memory is added
// with the elements. So readers keep a pointer to the first element, and read without a lock while one thread
// appends.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <sys/mman.h>
#include <type_traits>
#include <utility>

namespace lisle {

/// Elements are added by one thread at a time; any thread may read those that it knows of.
template <class T> class growing_array {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 4096);

  public:
    /// Throws std::bad_alloc if the address space has no such range.
    explicit growing_array(std::size_t most) : most_{most} {
        void *const room =
            mmap(nullptr, bytes_of(most), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) {
            throw std::bad_alloc{};
        }
        first_ = static_cast<T *>(room);
    }
    growing_array(growing_array &&other) noexcept
        : first_{std::exchange(other.first_, nullptr)}, most_{other.most_},
          usable_bytes_{other.usable_bytes_}, size_{other.size_.load(std::memory_order_relaxed)} {}
    growing_array &operator=(growing_array &&) = delete; // readers may hold what it would replace
    ~growing_array() {
        if (first_ != nullptr) {
            munmap(first_, bytes_of(most_));
        }
    }

    /// Throws std::bad_alloc if the array is full or there is no memory.
    void push_back(const T &value) {
        // Relaxed: the only writer reads its own store.
        const std::size_t size = size_.load(std::memory_order_relaxed);
        make_usable(size + 1);
        new (first_ + size) T(value);
        // Release: pairs with size(), so a reader of the new size sees the element whole.
        size_.store(size + 1, std::memory_order_release);
    }

    /// Adds elements that are zeroes, up to `size` in all, without touching their memory. @pre zeroes are a T
    void grow(std::size_t size) {
        if (size > size_.load(std::memory_order_relaxed)) { // as above
            make_usable(size);
            size_.store(size, std::memory_order_release);
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
    [[nodiscard]] T *data() const noexcept { return first_; }
    [[nodiscard]] T &operator[](std::size_t index) const noexcept { return first_[index]; }
    [[nodiscard]] T *begin() const noexcept { return first_; }
    [[nodiscard]] T *end() const noexcept { return first_ + size(); }

  private:
    static constexpr std::size_t page = 4096;
    static constexpr std::size_t bytes_of(std::size_t elements) noexcept {
        return (elements * sizeof(T) + page - 1) / page * page;
    }
    void make_usable(std::size_t elements) {
        if (elements > most_) {
            throw std::bad_alloc{};
        }
        const std::size_t needed = bytes_of(elements);
        if (needed > usable_bytes_) {
            if (mprotect(first_, needed, PROT_READ | PROT_WRITE) != 0) {
                throw std::bad_alloc{};
            }
            usable_bytes_ = needed;
        }
    }

    T *first_;
    std::size_t most_;
    std::size_t usable_bytes_ = 0;
    std::atomic<std::size_t> size_{0}; ///< release when an element has been added, acquire where it is read
};

} // namespace lisle
