// SPDX-License-Identifier: Apache-2.0
// What a program that was built with `mpicc --check` and the library have in common: which memory is of
// interest, so that a load or store of other memory costs no more than a few comparisons.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lisle {

/// Memory whose loads and stores the library wants to hear of. Relaxed throughout: it only saves
/// calls, which look again under a lock.
class access_filter {
  public:
    static constexpr std::size_t most_ranges = 16;
    struct range {
        std::uintptr_t begin, end;
    };

    [[nodiscard]] bool includes(const volatile void *address, std::size_t bytes) const noexcept {
        const auto first = reinterpret_cast<std::uintptr_t>(address);
        const std::uintptr_t last = first + bytes;
        if (last <= low_.load(std::memory_order_relaxed) || first >= high_.load(std::memory_order_relaxed)) {
            return false;
        }
        for (std::size_t i = 0; i < count_.load(std::memory_order_relaxed) && i < most_ranges; ++i) {
            if (first < ranges_[i].end.load(std::memory_order_relaxed) &&
                last > ranges_[i].begin.load(std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }
    /// One caller at a time. @param list sorted @param count at most most_ranges
    void set(const range *list, std::size_t count) noexcept {
        for (std::size_t i = 0; i < count; ++i) {
            ranges_[i].begin.store(list[i].begin, std::memory_order_relaxed);
            ranges_[i].end.store(list[i].end, std::memory_order_relaxed);
        }
        count_.store(count, std::memory_order_relaxed);
        low_.store(count == 0 ? UINTPTR_MAX : list[0].begin, std::memory_order_relaxed);
        high_.store(count == 0 ? 0 : list[count - 1].end, std::memory_order_relaxed);
    }

  private:
    struct shared_range {
        std::atomic<std::uintptr_t> begin{0}, end{0};
    };
    std::atomic<std::uintptr_t> low_{UINTPTR_MAX}, high_{0};
    std::atomic<std::size_t> count_{0};
    std::array<shared_range, most_ranges> ranges_;
};

/// A variable of each part of a program, a file or library, that was built so. Linked into a list while it
/// exists.
struct access_view {
    std::atomic<access_filter *> filter{nullptr}; ///< of the rank whose program it is; null: nobody listens
    void *owner = nullptr;                        ///< the rank, once it is known
    access_view *next = nullptr;
};

/// What a program does to memory.
enum class memory_access : std::uint8_t { load, store, change };

} // namespace lisle

/// The view exists from now on, or (begins is 0) no longer.
extern "C" [[gnu::visibility("default")]] void lisle_watch_accesses(lisle::access_view *view,
                                                                    int begins) noexcept;
/// A program whose filter this is has accessed memory in it, or is about to.
/// @param site where the function that says so returns to
extern "C" [[gnu::visibility("default")]] void lisle_note_access(lisle::access_filter *filter,
                                                                 const volatile void *address,
                                                                 std::size_t bytes, lisle::memory_access how,
                                                                 const void *site) noexcept;
