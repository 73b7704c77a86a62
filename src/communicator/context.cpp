// SPDX-License-Identifier: Apache-2.0
// Handing out contexts: the rank's number in the upper 24 bits, its counter in the lower 40.
#include "communicator/context.hpp"

#include <atomic>

#include "runtime/rank_local.hpp"

namespace lisle {

namespace {

constexpr unsigned counter_bits = 40;

struct context_counter {
    // Only uniqueness matters, so it orders nothing.
    std::atomic<std::uint64_t> next{0};
};
const rank_local<context_counter> counters;

} // namespace

std::uint64_t next_context() {
    return next_contexts(1);
}

std::uint64_t next_contexts(std::uint64_t count) {
    rank &self = this_rank();
    const auto first = counters.of(self).next.fetch_add(count, std::memory_order_relaxed);
    const auto owner = static_cast<std::uint64_t>(self.number()) + 1;
    return owner << counter_bits | first * contexts_per_communicator;
}

bool plausible_context(std::uint64_t value, int job_size) noexcept {
    const auto owner = value >> counter_bits;
    return value % contexts_per_communicator == 0 && owner >= 1 &&
           owner <= static_cast<std::uint64_t>(job_size);
}

} // namespace lisle
