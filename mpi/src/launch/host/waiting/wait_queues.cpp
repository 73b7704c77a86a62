// SPDX-License-Identifier: Apache-2.0
#include "launch/host/waiting/wait_queues.hpp"

#include "base/spin_lock.hpp"

#include <array>
#include <mutex>
#include <pthread.h>

namespace lisle::host {

namespace {

/// The threads that ring a fiber's bell, each with a queue locked. The bell may wake a thread through a
/// futex, and that call comes back here: no fiber waits for futexes of the library, and to lock a second
/// queue could be to lock the same one. No thread-local variable, since those of the program's images lie
/// where the host's would.
class ringing_threads {
  public:
    [[nodiscard]] bool has_this() noexcept { return slot().load(std::memory_order_relaxed) == self(); }
    void add_this() noexcept {
        // Another thread with this slot is about to give it back: a thread that rings waits for nothing else.
        // Relaxed: a thread looks for itself alone.
        for (std::uintptr_t none = 0;
             !slot().compare_exchange_weak(none, self(), std::memory_order_relaxed);) {
            none = 0;
        }
    }
    void remove_this() noexcept { slot().store(0, std::memory_order_relaxed); }

  private:
    static std::uintptr_t self() noexcept { return pthread_self(); }
    std::atomic<std::uintptr_t> &slot() noexcept {
        return slots_[(self() >> 6 ^ self() >> 12) % slots_.size()];
    }
    std::array<std::atomic<std::uintptr_t>, 256> slots_{};
};
constinit ringing_threads ringing;

} // namespace

class wait_queues {
  public:
    void enter(waiting_fiber &fiber) noexcept {
        // Sequentially consistent, so that it comes before the fiber's next look at the place.
        inside_.fetch_add(1, std::memory_order_seq_cst);
        list &here = list_of(fiber.place_);
        const std::scoped_lock guard(here.lock);
        waiting_fiber **end = &here.first;
        while (*end != nullptr) {
            end = &(*end)->next_;
        }
        *end = &fiber;
    }

    void leave(waiting_fiber &fiber) noexcept {
        list &here = list_of(fiber.place_);
        {
            const std::scoped_lock guard(here.lock);
            for (waiting_fiber **each = &here.first; *each != nullptr; each = &(*each)->next_) {
                if (*each == &fiber) {
                    *each = fiber.next_;
                    break;
                }
            }
        }
        inside_.fetch_sub(1, std::memory_order_relaxed);
    }

    int wake(const void *place, int most) noexcept {
        if (ringing.has_this()) {
            return 0;
        }
        list &here = list_of(place);
        const std::scoped_lock guard(here.lock);
        return here.wake(place, most);
    }

    void try_to_wake(const void *place) noexcept {
        list &here = list_of(place);
        if (!ringing.has_this() && here.lock.try_lock()) {
            here.wake(place, 1);
            here.lock.unlock();
        }
    }

    [[nodiscard]] bool has_waiters() const noexcept { return inside_.load(std::memory_order_relaxed) != 0; }

  private:
    struct alignas(64) list {
        spin_lock lock;
        waiting_fiber *first = nullptr;

        /// @pre the lock is held: a fiber that is woken cannot leave before its bell has rung
        int wake(const void *place, int most) noexcept {
            int woken = 0;
            ringing.add_this();
            for (waiting_fiber **each = &first; *each != nullptr && woken != most;) {
                waiting_fiber &fiber = **each;
                if (fiber.place_ != place) {
                    each = &fiber.next_;
                    continue;
                }
                *each = fiber.next_;
                fiber.woken_.store(true, std::memory_order_release);
                lisle_host_ring(fiber.fiber_);
                ++woken;
            }
            ringing.remove_this();
            return woken;
        }
    };

    list &list_of(const void *place) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(place);
        return lists_[(address >> 4 ^ address >> 12) % lists_.size()];
    }

    std::array<list, 256> lists_;
    std::atomic<int> inside_{0};
};

namespace {
constinit wait_queues queues;
}

waiting_fiber::waiting_fiber(const void *place) : place_(place), fiber_(lisle_host_current_rank()) {
    queues.enter(*this);
}

waiting_fiber::~waiting_fiber() {
    queues.leave(*this);
}

bool waiting_fiber::wait(const deadline &end) {
    constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
    for (;;) {
        const std::uint32_t seen = lisle_host_rung();
        if (woken_.load(std::memory_order_acquire)) {
            return true;
        }
        const std::int64_t left = end.left(no_limit);
        if (left <= 0) {
            return false;
        }
        lisle_host_rest(seen, left == no_limit ? 0 : static_cast<std::uint64_t>(left));
    }
}

bool has_waiters() noexcept {
    return queues.has_waiters();
}
int wake(const void *place, int most) noexcept {
    return queues.wake(place, most);
}
void try_to_wake(const void *place) noexcept {
    queues.try_to_wake(place);
}

} // namespace lisle::host
