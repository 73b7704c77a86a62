// SPDX-License-Identifier: Apache-2.0
// Room for the bytes of serialised objects: not filled with zeros, and used again. Fresh memory costs more
// (the kernel's page faults) than writing an object into it and sending it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "lisle/detail/atomic_pointer.hpp"
#include "lisle/detail/owned.hpp"
#include "lisle/detail/rank_data.hpp"

namespace lisle::detail {

/// A container of bytes as resizable_range wants it. The rank keeps one that was given up for the next one.
class byte_buffer {
  public:
    byte_buffer() = default;
    byte_buffer(byte_buffer &&other) noexcept
        : memory_{std::exchange(other.memory_, nullptr)}, size_{std::exchange(other.size_, 0)},
          capacity_{std::exchange(other.capacity_, 0)} {}
    byte_buffer &operator=(byte_buffer &&other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    ~byte_buffer() {
        if (memory_ != nullptr && capacity_ <= largest_kept && running())
            spare().give(memory_, capacity_);
        else
            delete[] memory_;
    }

    [[nodiscard]] std::byte *data() noexcept { return memory_; }
    [[nodiscard]] const std::byte *data() const noexcept { return memory_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::byte *begin() noexcept { return data(); }
    [[nodiscard]] std::byte *end() noexcept { return data() + size_; }
    [[nodiscard]] const std::byte *begin() const noexcept { return data(); }
    [[nodiscard]] const std::byte *end() const noexcept { return data() + size_; }
    /// Call it before a long object is made from a message.
    static void expect_long_objects() {
        if (running())
            spare();
    }
    /// New bytes have no particular values.
    void resize(std::size_t size) {
        if (size > capacity_)
            grow(size);
        size_ = size;
    }
    /// `count` new bytes at the end.
    std::byte *extend(std::size_t count) {
        const std::size_t before = size_;
        if (count > capacity_ - before) [[unlikely]]
            grow(std::max(before + count, 2 * capacity_));
        size_ = before + count;
        return memory_ + before;
    }

  private:
    static constexpr std::size_t largest_kept = std::size_t{8} << 20;
    static constexpr std::size_t least = 1024;

    /// The rank's spare buffer. Any of its threads may take and give.
    class spare_block {
      public:
        /// Also teaches the allocator that blocks of this size come and go. Otherwise glibc returns the top
        /// of its heap to the kernel as soon as 128 KiB of it are free, and making and dropping an object of
        /// many strings costs a hundred page faults.
        spare_block() {
            auto *const passing = new std::byte[largest_kept];
            const_cast<volatile std::byte &>(*passing) = {}; // used, or the compiler leaves it out
            delete[] passing;
        }
        spare_block(const spare_block &) = delete;
        spare_block &operator=(const spare_block &) = delete;
        ~spare_block() { delete[] kept_.exchange(nullptr); }
        /// The caller owns it; null: there is none. @param capacity how much it holds
        std::byte *take(std::size_t &capacity) noexcept {
            std::byte *const taken = kept_.exchange(nullptr);
            if (taken != nullptr)
                std::memcpy(&capacity, taken, sizeof capacity);
            return taken;
        }
        /// @param capacity at least `least`: it is kept in the memory itself
        void give(std::byte *memory, std::size_t capacity) noexcept {
            std::memcpy(memory, &capacity, sizeof capacity);
            delete[] kept_.exchange(memory);
        }

      private:
        atomic_pointer<std::byte> kept_;
    };
    static spare_block &spare() { return rank_object<spare_block>(); }

    [[gnu::noinline]] void grow(std::size_t wanted) {
        if (memory_ == nullptr && running()) {
            memory_ = spare().take(capacity_);
            if (capacity_ >= wanted)
                return;
        }
        wanted = std::max(wanted, least);
        auto *const larger = new std::byte[wanted];
        if (size_ != 0)
            std::memcpy(larger, memory_, size_);
        delete[] std::exchange(memory_, larger);
        capacity_ = wanted;
    }

    std::byte *memory_ = nullptr; ///< owned
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

} // namespace lisle::detail
