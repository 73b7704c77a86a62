// SPDX-License-Identifier: Apache-2.0
// The ready tasks of a tile: the tile pushes and pops at one end, others steal at the other. The newest tasks
// are the tile's own, which costs it no atomic instruction; older ones are shared, and it shares more when
// somebody has looked in vain. What is shared follows D. Chase and Y. Lev, "Dynamic circular work-stealing
// deque", SPAA 2005, with the memory orders of N. M. Le et al., "Correct and efficient work-stealing for weak
// memory models", PPoPP 2013; the division follows T. van Dijk and J. van de Pol, "Lace: non-blocking split
// deque for work-stealing", 2014. A task is several words; a thief may read them while the owner writes the
// next round's, and then its compare-and-swap of top_ fails.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <vector>

#include "task/machine/activation.hpp"

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
        if (bottom - top >= room->capacity) [[unlikely]] {
            room = grow(*room, top, bottom);
        }
        room->put(bottom, ready);
        bottom_.store(bottom + 1, std::memory_order_relaxed); // share() publishes the task
        if (is_wanted_.load(std::memory_order_relaxed)) [[unlikely]] {
            share((bottom + 2 - shared_.load(std::memory_order_relaxed)) / 2); // half, the older ones
        }
    }

    /// By the owner: whether there are tasks that others cannot steal yet.
    [[nodiscard]] bool has_own() const noexcept {
        return bottom_.load(std::memory_order_relaxed) != shared_.load(std::memory_order_relaxed);
    }
    /// By the owner: lets others steal all of its tasks.
    void share_all() noexcept {
        share(bottom_.load(std::memory_order_relaxed) - shared_.load(std::memory_order_relaxed));
    }

    /// By the owner: the task that was pushed last.
    bool pop(task &popped) noexcept {
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
        if (bottom >= shared_.load(std::memory_order_relaxed)) { // no other thread sees it
            bottom_.store(bottom, std::memory_order_relaxed);
            ring_.load(std::memory_order_relaxed)->get(bottom, popped);
            return true;
        }
        return pop_shared(bottom, popped);
    }

    /// By any thread: the task that was pushed first. If there is none, the owner is told that some are
    /// wanted.
    bool steal(task &stolen) noexcept {
        std::int64_t top = top_.load(std::memory_order_seq_cst);
        const std::int64_t shared = shared_.load(std::memory_order_seq_cst);
        if (top >= shared) {
            if (!is_wanted_.load(std::memory_order_relaxed)) { // a hint: relaxed
                is_wanted_.store(true, std::memory_order_relaxed);
            }
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

    /// About how many tasks there are. The shared ones first: see share().
    [[nodiscard]] std::int64_t size() const noexcept {
        const std::int64_t shared = shared_.load(std::memory_order_seq_cst);
        return std::max(shared, bottom_.load(std::memory_order_relaxed)) -
               top_.load(std::memory_order_seq_cst);
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
            into.variables = std::bit_cast<activation *>(from[1].load(std::memory_order_relaxed));
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

    void share(std::int64_t count) noexcept {
        if (is_wanted_.load(std::memory_order_relaxed)) {
            is_wanted_.store(false, std::memory_order_relaxed);
        }
        // A thief that sees the new value sees the tasks. Sequentially consistent: the owner looks for
        // sleepers next, and a tile looks here after it has noted that it sleeps; one of the two sees the
        // other.
        shared_.store(shared_.load(std::memory_order_relaxed) + count, std::memory_order_seq_cst);
    }

    // The owner has no tasks of its own: takes the last of those that are shared.
    bool pop_shared(std::int64_t last, task &popped) noexcept {
        // Sequentially consistent, as top_ below and in steal(): where owner and thief compete for the last
        // task, at least one sees what the other has written.
        shared_.store(last, std::memory_order_seq_cst);
        std::int64_t top = top_.load(std::memory_order_seq_cst);
        bool has_won = top <= last;
        if (has_won) {
            ring_.load(std::memory_order_relaxed)->get(last, popped);
            if (top < last) {
                bottom_.store(last, std::memory_order_relaxed);
                return true;
            }
            has_won = top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                                   std::memory_order_relaxed);
        }
        shared_.store(last + 1, std::memory_order_relaxed); // as bottom_, and as top_ is now
        return has_won;
    }

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
    // Tasks in [top_, shared_) may be stolen; those in [shared_, bottom_) are the owner's. Only the owner
    // writes shared_ and bottom_.
    alignas(64) std::atomic<std::int64_t> shared_{0};
    std::atomic<ring *> ring_{nullptr};
    std::atomic<bool> is_wanted_{false}; ///< a thief has looked in vain. Relaxed: a hint
    alignas(64) std::atomic<std::int64_t> bottom_{0};
    std::vector<std::unique_ptr<ring>> rings_; ///< the owner's
};

} // namespace lisle::tasks
