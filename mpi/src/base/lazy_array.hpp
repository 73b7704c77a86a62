// SPDX-License-Identifier: Apache-2.0
// An array of elements that are made when they are first asked for: one for each rank of a job, say, of which
// most processes need few. Until then an element is zeroes in memory that nobody has touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <type_traits>

#include "base/growing_array.hpp"

namespace lisle {

/// Any number of threads may ask for elements. Their addresses hold as long as the array.
template <class T> class lazy_array {
    static_assert(std::is_trivially_destructible_v<T>);

  public:
    /// Throws std::bad_alloc if the address space has no such range.
    explicit lazy_array(std::size_t most) : slots_{most} {}
    /// Makes room for so many elements in all. By one thread at a time. Throws std::bad_alloc.
    void grow(std::size_t size) { slots_.grow(size); }

    /// The element, made by `make()` if this is the first call for it. @pre there is room for it
    template <class Make> [[nodiscard]] T &get(std::size_t index, Make make) const {
        slot &found = slots_[index];
        // Acquire: pairs with the release store, so the element is seen whole.
        return found.made.load(std::memory_order_acquire) ? element_in(found) : add(found, make);
    }

  private:
    // Zeroed memory is a slot without an element.
    struct slot {
        alignas(T) std::byte room[sizeof(T)];
        std::atomic<bool> made;
    };

    static T &element_in(slot &made) noexcept { return *std::launder(reinterpret_cast<T *>(made.room)); }
    template <class Make> [[gnu::cold, gnu::noinline]] static T &add(slot &to, Make &make) {
        const std::scoped_lock lock{making_};
        if (!to.made.load(std::memory_order_relaxed)) { // ordered by the lock
            new (to.room) T(make());
            to.made.store(true, std::memory_order_release);
        }
        return element_in(to);
    }

    /// Held while an element of any array of this type is made, which is seldom and may make elements of
    /// other types.
    static inline std::mutex making_;

    growing_array<slot> slots_;
};

} // namespace lisle
