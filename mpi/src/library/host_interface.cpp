// SPDX-License-Identifier: Apache-2.0
// What the host asks about one rank or fiber. What it asks about the process: host_process.cpp.
#include "library/host_interface.h"
#include "base/settings.hpp"
#include "execution/fiber_worker.hpp"
#include "execution/shared_task.hpp"
#include "execution/simulated_time.hpp"
#include "execution/staying.hpp"
#include "library/listed_ranks.hpp"
#include "world/job.hpp"

using lisle::job;
using lisle::rank;

namespace {
rank *unwrap(lisle_rank *opaque) {
    return reinterpret_cast<rank *>(opaque);
}
lisle_rank *wrap(rank *target) {
    return reinterpret_cast<lisle_rank *>(target);
}
lisle::doorbell &bell_of(const rank &fiber) {
    return fiber.bell();
}
} // namespace

void lisle_host_end_fiber(void) {
    if (auto *const worker = lisle::fiber_worker::current()) {
        worker->end_fiber();
    }
}

int lisle_host_in_fiber(void) {
    // A fiber that is only becoming a rank has no doorbell yet: it waits as a thread does.
    return lisle::fiber_worker::current() != nullptr && lisle::rank_at_once() != nullptr ? 1 : 0;
}

int lisle_host_may_give_way(void) {
    return lisle_host_in_fiber() != 0 && !lisle::staying::is_asked() ? 1 : 0;
}

int lisle_host_yield(void) {
    lisle::rank &self = lisle::known_rank();
    self.get_job().clock().found_nothing(self.number());
    return lisle::fiber_worker::current()->yield() ? 1 : 0;
}

uint32_t lisle_host_rung(void) {
    return bell_of(lisle::known_rank()).value();
}

void lisle_host_rest(uint32_t seen, uint64_t nanoseconds) {
    auto &worker = *lisle::fiber_worker::current();
    const lisle::doorbell &bell = bell_of(lisle::known_rank());
    if (nanoseconds == 0) {
        worker.park(bell, seen);
    } else {
        worker.park_for(bell, seen, nanoseconds);
    }
}

int64_t lisle_host_time(void) {
    return lisle::known_rank().get_job().clock().nanoseconds();
}

int64_t lisle_host_read_time(void) {
    lisle::rank &self = lisle::known_rank();
    return lisle::read_simulated(self.get_job().clock(), self.number());
}

int lisle_host_between_fibers(void) {
    const auto *const worker = lisle::fiber_worker::current();
    return worker != nullptr && worker->is_between_fibers() ? 1 : 0;
}

void lisle_host_after_turns(void (*called)(void)) {
    lisle::detail::after_turns.store(called, std::memory_order_relaxed);
}

void lisle_host_ring(const lisle_rank *fiber) {
    bell_of(*reinterpret_cast<const rank *>(fiber)).ring();
}

void lisle_host_set_arguments(lisle_rank *opaque, int count, const char *const *words) {
    unwrap(opaque)->arguments.assign(words, words + count);
}
void lisle_host_set_program(lisle_rank *opaque, int program) {
    unwrap(opaque)->program = program;
}
void lisle_host_before_sharing(void (*called)(void)) {
    lisle::before_sharing(called);
}
lisle_rank *lisle_host_current_rank(void) {
    return wrap(lisle::detail::current_rank);
}
void lisle_host_become(lisle_rank *target) {
    lisle::become(unwrap(target));
}
int lisle_host_has_begun_mpi() {
    const rank *const self = lisle::rank_at_once();
    return self != nullptr &&
                   (self->phase.load(std::memory_order_relaxed) != lisle::world_phase::before_init ||
                    self->models_in_use.load(std::memory_order_relaxed) != 0)
               ? 1
               : 0;
}

int lisle_host_rank_number(const lisle_rank *opaque) {
    return reinterpret_cast<const rank *>(opaque)->number();
}

int lisle_host_end_rank(lisle_rank *opaque, int status) {
    rank &ended = *unwrap(opaque);
    job &here = ended.get_job();
    const int number = ended.number();
    here.start().report_exit(number, status);
    const auto phase = ended.phase.load(std::memory_order_relaxed);
    const bool failed_before_init = phase == lisle::world_phase::before_init && status != 0;
    const bool in_use = ended.models_in_use.load(std::memory_order_relaxed) != 0;
    const bool early = in_use || failed_before_init;
    // The state of a rank that leaves while it uses MPI stays: others may be writing to it.
    if (!in_use) {
        lisle::note_end_for_debuggers(ended);
        here.leave(ended);
    }
    // Who leaves early is the launcher's to tell of, and it ends the job: nobody is to count that as a
    // deadlock.
    if (!early) {
        here.waits().leave(here.places().index_on_node(number));
    }
    here.start().report(number, early ? lisle::rank_progress::left_early : lisle::rank_progress::ended);
    lisle::become(nullptr);
    return early && value_of(lisle::setting::recovery) != 0 ? 1 : 0;
}
