// SPDX-License-Identifier: Apache-2.0
// The ready tasks of a tile: the tile pushes and pops at one end, others steal at the other. After D. Chase
// and Y. Lev, "Dynamic circular work-stealing deque", SPAA 2005, with the memory orders of N. M. Le et al.,
// "Correct and efficient work-stealing for weak memory models", PPoPP 2013. A task is several words; a thief
// may read them while the owner writes the next round's, and then its compare-and-swap of top_ fails.
#pragma once

#include <atomic>
#include <bit>
#include <memory>
#include <vector>

#include "task/frame.hpp"

namespace lisle::tasks {

class task_deque {
  public:
    task_deque() { rings_.push_back(std::make_unique<ring>(initial)), ring_.store(rings_.back().get()); }

    /// By the owner.
    void push(const task &ready) {
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
        // Acquire: pairs with the thieves' swap, whose slots are free then.
        const std::int64_t top = top_.load(std::memory_order_acquire);
        ring *room = ring_.load(std::memory_order_relaxed);
        if (bottom - top >= room->capacity) {
            room = grow(*room, top, bottom);
        }
        room->put(bottom, ready);
        // A thief that sees the new bottom sees the task. Sequentially consistent: the owner then looks for
        // sleepers, who look at the bottom after they have said that they sleep.
        bottom_.store(bottom + 1, std::memory_order_seq_cst);
    }

    /// By the owner: the task that was pushed last.
    bool pop(task &popped) noexcept {
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
        // Sequentially consistent, as top_ below and in steal(): of an owner and a thief that want the last
        // task at once, at least one sees what the other has written.
        bottom_.store(bottom, std::memory_order_seq_cst);
        std::int64_t top = top_.load(std::memory_order_seq_cst);
        if (top > bottom) {
            bottom_.store(bottom + 1, std::memory_order_relaxed);
            return false;
        }
        ring_.load(std::memory_order_relaxed)->get(bottom, popped);
        if (top < bottom) {
            return true;
        }
        const bool won =
            top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
        bottom_.store(bottom + 1, std::memory_order_relaxed);
        return won;
    }

    /// By anybody: the task that was pushed first.
    bool steal(task &stolen) noexcept {
        std::int64_t top = top_.load(std::memory_order_seq_cst);
        const std::int64_t bottom = bottom_.load(std::memory_order_seq_cst);
        if (top >= bottom) {
            return false;
        }
        // Acquire: pairs with the release of grow().
        task seen;
        ring_.load(std::memory_order_acquire)->get(top, seen);
        if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                          std::memory_order_relaxed)) {
            return false;
        }
        stolen = seen;
        return true;
    }

    /// About how many tasks there are.
    [[nodiscard]] std::int64_t size() const noexcept {
        return bottom_.load(std::memory_order_seq_cst) - top_.load(std::memory_order_seq_cst);
    }

  private:
    static constexpr std::int64_t initial = 256;
    static constexpr std::size_t words = sizeof(task) / sizeof(std::uint64_t);
    static_assert(sizeof(task) == 5 * sizeof(std::uint64_t), "put() and get() know its fields");

    struct ring {
        explicit ring(std::int64_t capacity)
            : capacity{capacity},
              room{new std::atomic<std::uint64_t>[static_cast<std::size_t>(capacity) * words]} {}
        // Relaxed words: bottom_ publishes them, and top_ tells a thief whether they were whole. Field by
        // field: a wider copy of what has just been written in parts would wait for the processor's stores.
        void put(std::int64_t at, const task &ready) noexcept {
            std::atomic<std::uint64_t> *const to = slot(at);
            to[0].store(std::bit_cast<std::uint64_t>(ready.expression), std::memory_order_relaxed);
            to[1].store(std::bit_cast<std::uint64_t>(ready.variables), std::memory_order_relaxed);
            to[2].store(std::bit_cast<std::uint64_t>(ready.to), std::memory_order_relaxed);
            to[3].store(pair(ready.slot, ready.is_placed), std::memory_order_relaxed);
            to[4].store(pair(ready.first, ready.end), std::memory_order_relaxed);
        }
        void get(std::int64_t at, task &into) const noexcept {
            const std::atomic<std::uint64_t> *const from = slot(at);
            into.expression = std::bit_cast<const node *>(from[0].load(std::memory_order_relaxed));
            into.variables = std::bit_cast<frame *>(from[1].load(std::memory_order_relaxed));
            into.to = std::bit_cast<record *>(from[2].load(std::memory_order_relaxed));
            const std::uint64_t place = from[3].load(std::memory_order_relaxed),
                                range = from[4].load(std::memory_order_relaxed);
            into.slot = static_cast<std::uint32_t>(place);
            into.is_placed = static_cast<std::uint32_t>(place >> 32U);
            into.first = static_cast<std::uint32_t>(range);
            into.end = static_cast<std::uint32_t>(range >> 32U);
        }
        static std::uint64_t pair(std::uint32_t low, std::uint32_t high) noexcept {
            return low | static_cast<std::uint64_t>(high) << 32U;
        }
        [[nodiscard]] std::atomic<std::uint64_t> *slot(std::int64_t at) const noexcept {
            return room.get() + static_cast<std::size_t>(at & (capacity - 1)) * words;
        }
        const std::int64_t capacity; ///< a power of two
        const std::unique_ptr<std::atomic<std::uint64_t>[]> room;
    };

    // Old rings stay until the end: thieves may be reading them.
    ring *grow(const ring &full, std::int64_t top, std::int64_t bottom) {
        rings_.push_back(std::make_unique<ring>(2 * full.capacity));
        ring *const larger = rings_.back().get();
        for (std::int64_t i = top; i < bottom; ++i) {
            task each;
            full.get(i, each);
            larger->put(i, each);
        }
        ring_.store(larger, std::memory_order_release); // a thief that sees it sees its tasks
        return larger;
    }

    alignas(64) std::atomic<std::int64_t> top_{0};
    alignas(64) std::atomic<std::int64_t> bottom_{0};
    std::atomic<ring *> ring_{nullptr};
    std::vector<std::unique_ptr<ring>> rings_; ///< the owner's
};

} // namespace lisle::tasks
