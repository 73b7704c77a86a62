// SPDX-License-Identifier: Apache-2.0
// What a program's code does, in a library of its own: the host tells callers apart by where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/types.h>

namespace program {

ssize_t read_some(int descriptor, void *into, std::size_t size);
ssize_t write_all(int descriptor, const void *data, std::size_t size);
ssize_t send_all(int descriptor, const void *data, std::size_t size);
int poll_for(pollfd *descriptors, nfds_t count, int milliseconds);
int select_to_read(int descriptor, std::int64_t microseconds);
int sleep_for(std::int64_t nanoseconds);
int lock(pthread_mutex_t *mutex);
int lock_until(pthread_mutex_t *mutex, const timespec *end);
int unlock(pthread_mutex_t *mutex);
int wait(sem_t *semaphore);
int wait_until(sem_t *semaphore, const timespec *end);
int wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int signal(pthread_cond_t *condition);
timespec time_on(clockid_t clock);
timespec resolution_of(clockid_t clock);
std::time_t seconds();

} // namespace program
