// SPDX-License-Identifier: Apache-2.0
#include "library/watched_time.hpp"

#include "execution/clock.hpp"
#include "execution/rank.hpp"
#include "world/job.hpp"

extern "C" std::int64_t lisle_watched_time() noexcept {
    const lisle::rank *const self = lisle::detail::current_rank; // null: a process before MPI_Init
    if (self != nullptr && self->get_job().clock().simulated()) {
        return self->get_job().clock().nanoseconds();
    }
    return lisle::real_clock::now();
}
