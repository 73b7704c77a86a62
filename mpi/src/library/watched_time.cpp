// SPDX-License-Identifier: Apache-2.0
#include "library/watched_time.hpp"

#include "execution/clock.hpp"
#include "execution/rank.hpp"
#include "protocol/engine.hpp"
#include "world/job.hpp"

namespace {

/// The calling rank, if its time is simulated, else null.
lisle::rank *simulated_rank() noexcept {
    lisle::rank *const self = lisle::detail::current_rank; // null: a process before MPI_Init
    return self != nullptr && self->get_job().clock().simulated() ? self : nullptr;
}

} // namespace

extern "C" std::int64_t lisle_watched_time() noexcept {
    lisle::rank *const self = simulated_rank();
    return self != nullptr ? self->get_job().clock().nanoseconds() : lisle::real_clock::now();
}

extern "C" int lisle_watched_is_simulated() noexcept {
    return simulated_rank() != nullptr ? 1 : 0;
}

extern "C" std::int64_t lisle_watched_computing() noexcept {
    lisle::rank *const self = simulated_rank();
    if (self == nullptr) {
        return -1;
    }
    const std::int64_t computed = self->get_job().clock().charge_program(self->number());
    if (computed != 0) {
        self->engine().waits().let_core_catch_up();
    }
    self->get_job().clock().program_pauses();
    return computed;
}

extern "C" int lisle_watched_program_goes_on() noexcept {
    lisle::rank *const self = simulated_rank();
    if (self == nullptr) {
        return 0;
    }
    self->get_job().clock().program_goes_on();
    return 1;
}
