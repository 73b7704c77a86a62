// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

namespace program {

ssize_t read_some(int descriptor, void *into, std::size_t size) {
    return read(descriptor, into, size);
}
ssize_t write_all(int descriptor, const void *data, std::size_t size) {
    return write(descriptor, data, size);
}
ssize_t send_all(int descriptor, const void *data, std::size_t size) {
    return send(descriptor, data, size, 0);
}
int poll_for(pollfd *descriptors, nfds_t count, int milliseconds) {
    return poll(descriptors, count, milliseconds);
}
int select_to_read(int descriptor, std::int64_t microseconds) {
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(descriptor, &readable);
    timeval limit{microseconds / 1'000'000, microseconds % 1'000'000};
    const int count = select(descriptor + 1, &readable, nullptr, nullptr, &limit);
    return count == 1 && FD_ISSET(descriptor, &readable) ? 1 : count;
}
int sleep_for(std::int64_t nanoseconds) {
    const timespec time{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    return nanosleep(&time, nullptr);
}
int lock(pthread_mutex_t *mutex) {
    return pthread_mutex_lock(mutex);
}
int lock_until(pthread_mutex_t *mutex, const timespec *end) {
    return pthread_mutex_timedlock(mutex, end);
}
int unlock(pthread_mutex_t *mutex) {
    return pthread_mutex_unlock(mutex);
}
int wait(sem_t *semaphore) {
    return sem_wait(semaphore);
}
int wait_until(sem_t *semaphore, const timespec *end) {
    return sem_timedwait(semaphore, end);
}
int wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    return pthread_cond_wait(condition, mutex);
}
int signal(pthread_cond_t *condition) {
    return pthread_cond_signal(condition);
}
timespec time_on(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return now;
}
timespec resolution_of(clockid_t clock) {
    timespec resolution{};
    clock_getres(clock, &resolution);
    return resolution;
}
std::time_t seconds() {
    return std::time(nullptr);
}

} // namespace program
