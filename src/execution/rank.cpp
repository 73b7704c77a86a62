// SPDX-License-Identifier: Apache-2.0
#include "execution/rank.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "protocol/engine.hpp"
#include "protocol/tracks.hpp"
#include "world/job.hpp"
#include "base/open_handles.hpp"
#include "base/settings.hpp"

namespace lisle {

namespace detail {

constinit thread_local rank *current_rank [[gnu::tls_model("initial-exec")]] = nullptr;

rank &adopt_thread() {
    job &here = job::current();
    if (here.rank_count() != 1) {
        std::fprintf(
            stderr,
            "lisle: a thread that no rank started called MPI in a process of %d ranks: it cannot be told "
            "whose call this is (run the program with --ranks process)\n",
            here.rank_count());
        abort_job(EXIT_FAILURE);
    }
    static std::once_flag once;
    std::call_once(once, [&here] { here.enter(0); });
    rank *const only = here.find(here.first_rank());
    current_rank = only;
    return *only;
}

} // namespace detail

rank::rank(job &job, int number)
    : open{value_of(setting::check) != 0 ? std::make_unique<open_handles>() : nullptr}, job_{job},
      number_{number}, tracks_{std::make_unique<protocol::tracks>(job, *this)}, engine_{tracks_->find(0)} {}

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
