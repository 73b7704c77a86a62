// SPDX-License-Identifier: Apache-2.0
// A job of one process for tests of the host alone: it offers what the host asks of the library, without
// messages. LISLE_TEST_RANKS says how many ranks there are. A shared library, because the host's executable
// must have no thread-local object but its own.
#include "library/host_interface.h"

#include <cstdio>
#include <cstdlib>

struct lisle_rank {
    int number;
};

namespace {
thread_local lisle_rank *current;
}

int lisle_host_rank_count(void) {
    const char *const wanted = std::getenv("LISLE_TEST_RANKS");
    return wanted != nullptr ? std::atoi(wanted) : 4;
}

int lisle_host_first_rank(void) {
    return 0;
}

// All ranks that run are threads; with LISLE_TEST_WORKERS a program is only asked whether it could run as
// fibers.
int lisle_host_worker_count(void) {
    const char *const wanted = std::getenv("LISLE_TEST_WORKERS");
    return wanted != nullptr ? std::atoi(wanted) : 0;
}
const char *lisle_host_reserve_stacks(void) {
    return nullptr;
}
void lisle_host_run_worker(int, void (*)(void *, int), void *, void **(*)(void)) {}
void lisle_host_end_fiber(void) {}
int lisle_host_in_fiber(void) {
    return 0;
}
int lisle_host_may_give_way(void) {
    return 0;
}
int lisle_host_yield(void) {
    return 0;
}
uint32_t lisle_host_rung(void) {
    return 0;
}
void lisle_host_rest(uint32_t, uint64_t) {}
int lisle_host_has_simulated_time(void) {
    return 0;
}
int64_t lisle_host_time(void) {
    return 0;
}
int64_t lisle_host_read_time(void) {
    return 0;
}
int lisle_host_between_fibers(void) {
    return 0;
}
void lisle_host_after_turns(void (*)(void)) {}
void lisle_host_ring(const lisle_rank *) {}
void lisle_host_before_sharing(void (*)(void)) {}
void lisle_host_set_arguments(lisle_rank *, int, const char *const *) {}
void lisle_host_set_program(lisle_rank *, int) {}

lisle_rank *lisle_host_begin_rank(int index) {
    return current = new lisle_rank{index};
}

lisle_rank *lisle_host_current_rank(void) {
    return current;
}

void lisle_host_become(lisle_rank *rank) {
    current = rank;
}

int lisle_host_has_begun_mpi() {
    return 0;
}
int lisle_host_rank_number(const lisle_rank *rank) {
    return rank->number;
}

int lisle_host_end_rank(lisle_rank *rank, int status) {
    if (std::getenv("LISLE_TEST_REPORT") != nullptr) {
        std::fprintf(stderr, "rank %d ended with %d\n", rank->number, status);
    }
    delete rank;
    current = nullptr;
    return 0;
}

void lisle_host_prepare_for_fault(void) {}
void lisle_host_record_fault(int rank_number, int signal, const void *) {
    std::fprintf(stderr, "rank %d met signal %d\n", rank_number, signal);
}

/// The calling thread's rank, for the programs.
extern "C" int lone_job_rank(void) {
    return current != nullptr ? current->number : -1;
}
