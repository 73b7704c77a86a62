// SPDX-License-Identifier: Apache-2.0
#include "played_library.hpp"

#include "library/host_interface.h"

#include <cstdlib>

namespace {

void others_run(std::int64_t nanoseconds) {
    ++played::rests;
    played::now += nanoseconds;
    if (played::meanwhile) {
        played::meanwhile();
    }
}

} // namespace

extern "C" {

int lisle_host_rank_count(void) {
    return 1;
}
int lisle_host_worker_count() {
    return 1;
}
const char *lisle_host_reserve_stacks() {
    return nullptr;
}
void lisle_host_run_worker(int, void (*)(void *, int), void *, void **(*)()) {}
void lisle_host_end_fiber() {}
int lisle_host_in_fiber() {
    return played::in_fiber ? 1 : 0;
}
int lisle_host_may_give_way() {
    return played::in_fiber ? 1 : 0;
}
int lisle_host_has_begun_mpi() {
    return 0;
}
int lisle_host_yield() {
    others_run(0);
    return 1;
}
uint32_t lisle_host_rung() {
    return 0;
}
void lisle_host_rest(uint32_t, uint64_t nanoseconds) {
    constexpr std::int64_t without_limit = 1'000'000;
    others_run(nanoseconds != 0 ? static_cast<std::int64_t>(nanoseconds) : without_limit);
}
int lisle_host_has_simulated_time() {
    return 1;
}
int64_t lisle_host_time() {
    return played::now;
}
int64_t lisle_host_read_time() {
    return ++played::now;
}
int lisle_host_between_fibers() {
    return 0;
}
void lisle_host_after_turns(void (*)()) {}
void lisle_host_ring(const lisle_rank *) {
    if (played::bell) {
        played::bell();
    }
}
lisle_rank *lisle_host_begin_rank(int) {
    return nullptr;
}
void lisle_host_set_arguments(lisle_rank *, int, const char *const *) {}
void lisle_host_set_program(lisle_rank *, int) {}
lisle_rank *lisle_host_current_rank() {
    return nullptr;
}
void lisle_host_become(lisle_rank *) {}
int lisle_host_end_rank(lisle_rank *, int) {
    std::abort(); // no rank has begun
}
void lisle_host_prepare_for_fault(void) {}
void lisle_host_record_fault(int, int, const void *) {}

} // extern "C"
