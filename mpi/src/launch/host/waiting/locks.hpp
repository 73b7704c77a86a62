// SPDX-License-Identifier: Apache-2.0
// What condition variables need of mutexes.
#pragma once

#include <cerrno>
#include <pthread.h>
#include <threads.h>

#include "launch/host/waiting/wait_queues.hpp"

namespace lisle::host {

/// Locks the mutex for the calling fiber; others of its worker run until it is free. Returns an errno number.
int lock_as_fiber(pthread_mutex_t *mutex, const deadline &end);

/// Unlocks the mutex and calls a fiber that waits for it. Returns an errno number.
int unlock(pthread_mutex_t *mutex);

/// What functions of C11 return for an errno number.
inline int c11_result(int error) {
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

} // namespace lisle::host
