// SPDX-License-Identifier: Apache-2.0
// exit, atexit and related functions for ranks: they end the rank, not the process. In a child that a rank
// has forked, and on threads of no rank, they do what the C library does.
#include "launch/host/image/loaded_code.hpp"
#include "launch/host/life/life.hpp"
#include "launch/host/life/thread_exit.hpp"
#include "launch/host/output/output.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "library/host_interface.h"

#include <cstdlib>
#include <unistd.h>

namespace {

using lisle::host::hosted_rank;
using lisle::host::in_child;
using lisle::host::rank_code;
using lisle::host::rank_life;
using lisle::host::real_exit_now;
using plain_function = void (*)();
using argument_function = void (*)(void *);

/// The rank of whose image this handler is a part, or null: a shared library's handlers stay with the
/// process.
hosted_rank *owner_of(const void *place) {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank != nullptr && rank_code.of(*rank).owns(place) ? rank : nullptr;
}

const lisle::host::real<"exit", void(int)> real_exit;
const lisle::host::real<"quick_exit", void(int)> real_quick_exit;
const lisle::host::real<"__cxa_atexit", int(argument_function, void *, void *)> real_atexit;
const lisle::host::real<"__cxa_finalize", void(void *)> real_finalize;
const lisle::host::real<"__cxa_at_quick_exit", int(plain_function, void *)> real_at_quick_exit;
const lisle::host::real<"on_exit", int(void (*)(int, void *), void *)> real_on_exit;
const lisle::host::real<"pthread_exit", void(void *)> real_pthread_exit;

template <class Real> [[noreturn]] void end_process(const Real &end, int status) {
    end(status);
    __builtin_unreachable();
}

} // namespace

extern "C" {

void exit(int status) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        end_process(real_exit, status);
    }
    if (in_child()) {
        lisle::host::run_thread_exits();
        rank_life.of(*rank).exits.run(status);
        lisle::host::finish_output(*rank);
        end_process(real_exit_now, status);
    }
    lisle::host::end_rank(*rank, status);
}

void _exit(int status) {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr || in_child()) {
        end_process(real_exit_now, status);
    }
    lisle::host::end_rank_now(*rank, status);
}

void _Exit(int status) noexcept {
    _exit(status);
}

void quick_exit(int status) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        end_process(real_quick_exit, status);
    }
    rank_life.of(*rank).quick_exits.run(status);
    _exit(status);
}

int __cxa_atexit(argument_function function, void *argument, void *library) {
    hosted_rank *const rank = owner_of(library);
    if (rank == nullptr) {
        return real_atexit(function, argument, library);
    }
    rank_life.of(*rank).exits.push([=](int) { function(argument); }, library);
    return 0;
}

// Called by the code of a program or library at its end, to run its destructors. The C library's function
// takes a lock; a child that another rank forks meanwhile would inherit it locked, and nothing unlocks it
// there.
void __cxa_finalize(void *library) {
    if (hosted_rank *const rank = library != nullptr ? owner_of(library) : nullptr) {
        rank_life.of(*rank).exits.run_of(library);
    } else {
        real_finalize(library);
    }
}

// Programs have atexit linked in, which calls __cxa_atexit; but ThreadSanitizer brings one of its own.
int atexit(plain_function function) noexcept {
    hosted_rank *const rank = owner_of(reinterpret_cast<void *>(function));
    if (rank == nullptr) {
        return real_atexit(reinterpret_cast<argument_function>(function), nullptr, nullptr);
    }
    rank_life.of(*rank).exits.push([=](int) { function(); });
    return 0;
}

int __cxa_at_quick_exit(plain_function function, void *library) {
    hosted_rank *const rank = owner_of(library);
    if (rank == nullptr) {
        return real_at_quick_exit(function, library);
    }
    rank_life.of(*rank).quick_exits.push([=](int) { function(); });
    return 0;
}

int on_exit(void (*function)(int, void *), void *argument) noexcept {
    hosted_rank *const rank = owner_of(reinterpret_cast<void *>(function));
    if (rank == nullptr) {
        return real_on_exit(function, argument);
    }
    rank_life.of(*rank).exits.push([=](int status) { function(status, argument); });
    return 0;
}

// In main of a fiber rank this must not end the worker's thread.
void pthread_exit(void *value) {
    if (lisle_host_in_fiber() != 0) {
        lisle::host::leave_fiber(*lisle::host::this_rank());
    }
    real_pthread_exit(value);
    __builtin_unreachable();
}

} // extern "C"
