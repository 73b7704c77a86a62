// SPDX-License-Identifier: Apache-2.0
#include "library/host_interface.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "execution/fiber_worker.hpp"
#include "library/process.hpp"

using lisle::job;
using lisle::rank;

namespace {
job &current_job() {
    return lisle::process::current().get_job();
}
rank *unwrap(lisle_rank *opaque) {
    return reinterpret_cast<rank *>(opaque);
}
lisle_rank *wrap(rank *target) {
    return reinterpret_cast<lisle_rank *>(target);
}
lisle::doorbell &bell_of(const rank &fiber) {
    return fiber.bell();
}
// Written once, before any worker runs.
lisle::fiber_stacks *stacks = nullptr;
} // namespace

int lisle_host_rank_count(void) {
    return current_job().rank_count();
}
int lisle_host_first_rank(void) {
    return current_job().first_rank();
}

int lisle_host_worker_count(void) {
    return current_job().workers();
}

const char *lisle_host_reserve_stacks(void) {
    try {
        const job &here = current_job();
        // As large as the stack of a process; never given back, since ranks keep theirs until the end.
        stacks = new lisle::fiber_stacks{static_cast<std::size_t>(here.rank_count()),
                                         lisle::fiber_stacks::promised_bytes()};
        return nullptr;
    } catch (const lisle::mpi_error &error) {
        static const std::string reason = error.what();
        return reason.c_str();
    }
}

void lisle_host_run_worker(int number, void (*run)(void *, int), void *argument, void **(*place_of_extra)()) {
    job &here = current_job();
    lisle::fiber_worker worker{here.bells_of_worker(number),
                               here.places().worker_begin(here.process(), number),
                               *stacks,
                               {.run = run,
                                .argument = argument,
                                .place_of_extra = place_of_extra,
                                .clock = &here.clock(),
                                .waits = &here.waits(),
                                .first_on_node = here.places().index_on_node(here.first_rank())}};
    worker.run();
}

void lisle_host_end_fiber(void) {
    if (auto *const worker = lisle::fiber_worker::current()) {
        worker->end_fiber();
    }
}

int lisle_host_in_fiber(void) {
    // A fiber that is only becoming a rank has no doorbell yet: it waits as a thread does.
    return lisle::fiber_worker::current() != nullptr && lisle::rank_at_once() != nullptr ? 1 : 0;
}

int lisle_host_yield(void) {
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

void lisle_host_ring(const lisle_rank *fiber) {
    bell_of(*reinterpret_cast<const rank *>(fiber)).ring();
}

lisle_rank *lisle_host_begin_rank(int index) {
    try {
        rank &begun = lisle::process::current().enter(index);
        lisle::become(&begun);
        return wrap(&begun);
    } catch (const lisle::mpi_error &error) {
        std::fprintf(stderr, "lisle: %s\n", error.what());
        const job &here = current_job();
        lisle::abort_job(here, here.first_rank() + index, EXIT_FAILURE);
    }
}

void lisle_host_set_arguments(lisle_rank *opaque, int count, const char *const *words) {
    unwrap(opaque)->arguments.assign(words, words + count);
}
lisle_rank *lisle_host_current_rank(void) {
    return wrap(lisle::detail::current_rank);
}
void lisle_host_become(lisle_rank *target) {
    lisle::become(unwrap(target));
}
int lisle_host_rank_number(const lisle_rank *opaque) {
    return reinterpret_cast<const rank *>(opaque)->number();
}

void lisle_host_end_rank(lisle_rank *opaque, int status) {
    rank &ended = *unwrap(opaque);
    job &here = current_job();
    const int number = ended.number();
    here.start().report_exit(number, status);
    const auto phase = ended.phase.load(std::memory_order_relaxed);
    const bool failed_before_init = phase == lisle::world_phase::before_init && status != 0;
    const bool in_use = ended.models_in_use.load(std::memory_order_relaxed) != 0;
    const bool early = in_use || failed_before_init;
    // The state of a rank that leaves while it uses MPI stays: others may be writing to it.
    if (!in_use) {
        here.leave(ended);
    }
    here.waits().leave(here.places().index_on_node(number));
    here.start().report(number, early ? lisle::rank_progress::left_early : lisle::rank_progress::ended);
    lisle::become(nullptr);
}

void lisle_host_record_fault(int rank_number, int signal, const void *address) {
    current_job().start().report_fault(rank_number, signal, reinterpret_cast<std::uintptr_t>(address));
}
