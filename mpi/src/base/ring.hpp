// SPDX-License-Identifier: Apache-2.0
// A queue that keeps its memory: what has had room once has it again, and room can be made before it is
// needed. (A std::deque frees and allocates blocks as its ends move.)
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace lisle {

/// Not thread-safe. Elements are plain values. Memory that is reserved is not touched before its use.
template <class T> class ring {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    ring() = default;
    ring(ring &&other) noexcept { swap(other); }
    ring &operator=(ring &&other) noexcept {
        ring taken{std::move(other)};
        swap(taken);
        return *this;
    }
    ring(const ring &) = delete;
    ring &operator=(const ring &) = delete;
    ~ring() = default;

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] T &operator[](std::size_t place) noexcept { return at(place); }
    [[nodiscard]] const T &operator[](std::size_t place) const noexcept { return at(place); }
    [[nodiscard]] T &front() noexcept { return at(0); }
    [[nodiscard]] const T &front() const noexcept { return at(0); }

    /// From now on so many elements find room without an allocation.
    void reserve(std::size_t elements) {
        if (elements > room_) [[unlikely]] {
            grow(elements);
        }
    }
    /// By value: it may be one of the elements.
    void push_back(T added) {
        reserve(size_ + 1);
        std::construct_at(place_of(size_++), added);
    }
    void pop_front() noexcept { drop_front(1); }
    void drop_front(std::size_t count) noexcept {
        size_ -= count;
        first_ = size_ == 0 ? 0 : (first_ + count) & (room_ - 1); // an empty one uses the same memory again
    }
    void clear() noexcept { first_ = size_ = 0; }
    /// True if `question(element)` is, of one of them.
    template <class Question> [[nodiscard]] bool any(Question question) const {
        for (std::size_t place = 0; place != size_; ++place) {
            if (question(at(place))) {
                return true;
            }
        }
        return false;
    }
    /// Removes the elements that are equal.
    void erase(const T &unwanted) noexcept {
        std::size_t kept = 0;
        for (std::size_t place = 0; place != size_; ++place) {
            if (!(at(place) == unwanted)) {
                at(kept++) = at(place);
            }
        }
        size_ = kept;
    }

  private:
    struct release {
        std::size_t room = 0;
        void operator()(T *memory) const noexcept { std::allocator<T>{}.deallocate(memory, room); }
    };
    void grow(std::size_t elements) {
        const std::size_t room = std::bit_ceil(elements);
        std::allocator<T> from;
        std::unique_ptr<T[], release> memory{from.allocate(room), release{room}};
        for (std::size_t place = 0; place != size_; ++place) {
            std::construct_at(memory.get() + place, at(place));
        }
        memory_ = std::move(memory);
        room_ = room;
        first_ = 0;
    }
    [[nodiscard]] T *place_of(std::size_t place) const noexcept {
        return memory_.get() + ((first_ + place) & (room_ - 1));
    }
    [[nodiscard]] T &at(std::size_t place) const noexcept { return *place_of(place); }
    void swap(ring &other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(room_, other.room_);
        std::swap(first_, other.first_);
        std::swap(size_, other.size_);
    }

    std::unique_ptr<T[], release> memory_;
    std::size_t room_ = 0; ///< a power of two, or 0
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

} // namespace lisle
