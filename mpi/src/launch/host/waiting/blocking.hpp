// SPDX-License-Identifier: Apache-2.0
// What the calls that wait need of those that start and end threads.
#pragma once

#include <pthread.h>

namespace lisle::host {

/// pthread_join, for a call that returns to `caller`.
int join(pthread_t thread, void **value, const void *caller);

/// The calling thread, a rank's, is about to end: fibers that wait for it may look again.
void thread_is_ending(pthread_t thread);

} // namespace lisle::host
