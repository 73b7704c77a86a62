// SPDX-License-Identifier: Apache-2.0
// Handing out contexts: the rank's number in the upper 24 bits, then the track in 2, its counter in the
// lower 38.
#include "communicator/context.hpp"

#include <atomic>

#include "protocol/track.hpp"
#include "protocol/tracks.hpp"
#include "execution/rank_local.hpp"

namespace lisle {

namespace {

constexpr unsigned owner_shift = 40;

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
    const auto track = static_cast<std::uint64_t>(self.tracks().choose(first));
    return owner << owner_shift | track << protocol::track_shift | first * contexts_per_communicator;
}

bool plausible_context(std::uint64_t value, int job_size) noexcept {
    const auto owner = value >> owner_shift;
    return protocol::track_of(value) < fabric::tracks_of_job(job_size) &&
           value % contexts_per_communicator == 0 && owner >= 1 &&
           owner <= static_cast<std::uint64_t>(job_size);
}

} // namespace lisle
