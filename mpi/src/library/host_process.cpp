// SPDX-License-Identifier: Apache-2.0
// What the host asks about its process: the ranks and workers that it has, and to begin them.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "execution/fiber_worker.hpp"
#include "library/fiber_watchdog.hpp"
#include "library/host_interface.h"
#include "library/listed_ranks.hpp"
#include "library/process.hpp"
#include "world/crash.hpp"

using lisle::job;
using lisle::rank;

namespace {
job &current_job() {
    return lisle::process::current().get_job();
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

int lisle_host_has_simulated_time(void) {
    return current_job().clock().simulated() ? 1 : 0;
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
    const lisle::fiber_watchdog watchdog{worker, here.first_rank()};
    worker.run();
}

lisle_rank *lisle_host_begin_rank(int index) {
    try {
        rank &begun = lisle::process::current().enter(index);
        lisle::become(&begun);
        lisle::list_for_debuggers(begun);
        return reinterpret_cast<lisle_rank *>(&begun);
    } catch (const lisle::mpi_error &error) {
        std::fprintf(stderr, "lisle: %s\n", error.what());
        const job &here = current_job();
        lisle::abort_job(here, here.first_rank() + index, EXIT_FAILURE);
    }
}

void lisle_host_prepare_for_fault(void) {
    lisle::prepare_for_crash();
}

void lisle_host_record_fault(int rank_number, int signal, const void *address) {
    lisle::report_crash(current_job().start(), rank_number, signal,
                        reinterpret_cast<std::uintptr_t>(address));
}
