// SPDX-License-Identifier: Apache-2.0
#include "execution/rank.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/checks.hpp"
#include "base/open_handles.hpp"

namespace lisle {

namespace detail {
constinit thread_local rank *current_rank [[gnu::tls_model("initial-exec")]] = nullptr;
constinit std::atomic<bool> any_rank{false};
} // namespace detail

rank::rank(job &job, int number, doorbell &bell)
    : open{checks(check_level::cheap) ? std::make_unique<open_handles>(checks(check_level::all)) : nullptr},
      job_{job}, number_{number}, bell_{bell} {
    detail::any_rank.store(true, std::memory_order_relaxed);
}

rank::~rank() {
    // Upper layers allot their slots after lower ones, so they go first.
    for (std::size_t i = most_slots; i-- > 0;) {
        if (void *const value = slots_[i].value.load(std::memory_order_acquire)) {
            slots_[i].destroy.load(std::memory_order_relaxed)(value);
        }
    }
}

std::size_t rank::allot_slot() {
    static std::atomic<std::size_t> next{0}; // only a counter: orders nothing
    const std::size_t slot = next.fetch_add(1, std::memory_order_relaxed);
    if (slot >= most_slots) {
        std::fprintf(stderr, "lisle: more than %zu rank_local objects\n", most_slots);
        std::abort();
    }
    return slot;
}

rank *become(rank *target) noexcept {
    return std::exchange(detail::current_rank, target);
}

} // namespace lisle
