// SPDX-License-Identifier: Apache-2.0
// A context's bits from the top: 16 of the job, 8 of the owner, 2 of the track, the owner's others if the job
// has more than 256 ranks, the owner's count, 5 for the message spaces.
#include "communicator/context.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/error.hpp"
#include "execution/rank_local.hpp"
#include "mpi.h"
#include "protocol/message/track.hpp"
#include "protocol/tracks.hpp"
#include "world/job.hpp"

namespace lisle {

namespace {

constexpr unsigned job_shift = 48;
constexpr unsigned owner_shift = protocol::track_shift + 2;
constexpr unsigned owner_bits_above = job_shift - owner_shift;
constexpr unsigned count_shift = std::countr_zero(contexts_per_communicator);
constexpr unsigned bits_below_track = protocol::track_shift - count_shift;

constexpr std::uint64_t low_bits(std::uint64_t value, unsigned bits) noexcept {
    return value & ((std::uint64_t{1} << bits) - 1);
}

/// Bits of the owner that do not fit above the track.
unsigned owner_bits_below(int job_size) noexcept {
    const auto bits = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(job_size) - 1));
    return std::max(bits, owner_bits_above) - owner_bits_above;
}
unsigned count_bits(int job_size) noexcept {
    return bits_below_track - owner_bits_below(job_size);
}

struct context_counter {
    // Only uniqueness matters, so it orders nothing.
    std::atomic<std::uint64_t> next{0};
};
const rank_local<context_counter> counters;

} // namespace

std::uint64_t contexts_of_rank(int job_size) noexcept {
    return std::uint64_t{1} << count_bits(job_size);
}

std::uint64_t make_context(const context_origin &origin, int job_size) noexcept {
    const std::uint64_t below = origin.owner >> owner_bits_above;
    return origin.job << job_shift | low_bits(origin.owner, owner_bits_above) << owner_shift |
           static_cast<std::uint64_t>(origin.track) << protocol::track_shift |
           (below << count_bits(job_size) | origin.count) << count_shift;
}

context_origin origin_of(std::uint64_t context, int job_size) noexcept {
    const std::uint64_t lower = low_bits(context, protocol::track_shift) >> count_shift;
    return {.job = job_part_of(context),
            .owner = lower >> count_bits(job_size) << owner_bits_above |
                     low_bits(context >> owner_shift, owner_bits_above),
            .count = low_bits(lower, count_bits(job_size)),
            .track = protocol::track_of(context)};
}

std::uint64_t job_part_of(std::uint64_t context) noexcept {
    return context >> job_shift;
}

std::uint64_t next_context() {
    return next_contexts(1);
}

namespace {

/// @param on chooses the track by how many the rank has proposed before
template <class Track> std::uint64_t propose(std::uint64_t count, Track on) {
    rank &self = this_rank();
    const job &here = self.get_job();
    const auto first = counters.of(self).next.fetch_add(count, std::memory_order_relaxed);
    if (first + count > contexts_of_rank(here.size())) {
        fail(MPI_ERR_OTHER, "rank ", self.number(), " has proposed all of its ",
             contexts_of_rank(here.size()), " contexts of communicators");
    }
    return make_context({.job = here.context_part(),
                         .owner = static_cast<std::uint64_t>(self.number()),
                         .count = first,
                         .track = on(self, first)},
                        here.size());
}

} // namespace

std::uint64_t next_contexts(std::uint64_t count) {
    return propose(count, [](const rank &self, std::uint64_t first) { return self.tracks().choose(first); });
}

std::uint64_t next_context_for_other_jobs() {
    return propose(1, [](const rank &, std::uint64_t) { return 0; });
}

bool plausible_context(std::uint64_t value, int job_size, std::uint64_t job_part) noexcept {
    const context_origin origin = origin_of(value, job_size);
    return origin.job == job_part && origin.track < fabric::tracks_of_job(job_size) &&
           is_base_context(value) && origin.owner < static_cast<std::uint64_t>(job_size);
}

} // namespace lisle
