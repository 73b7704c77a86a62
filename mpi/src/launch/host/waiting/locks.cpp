// SPDX-License-Identifier: Apache-2.0
// Locks and semaphores, as fiber ranks see them: while one is held, other ranks of the worker run. A release
// wakes a fiber that waits. A mutex still belongs to the worker's thread: a recursive one does not tell the
// fibers of a worker apart.
#include "launch/host/waiting/locks.hpp"
#include "launch/host/rank/real.hpp"

#include <cerrno>
#include <ctime>
#include <pthread.h>
#include <semaphore.h>

namespace lisle::host {

namespace {

const real<"pthread_mutex_lock", int(pthread_mutex_t *)> real_lock;
const real<"pthread_mutex_timedlock", int(pthread_mutex_t *, const timespec *)> real_timed_lock;
const real<"pthread_mutex_clocklock", int(pthread_mutex_t *, clockid_t, const timespec *)> real_clock_lock;
const real<"pthread_mutex_unlock", int(pthread_mutex_t *)> real_unlock;
const real<"pthread_rwlock_rdlock", int(pthread_rwlock_t *)> real_read_lock;
const real<"pthread_rwlock_wrlock", int(pthread_rwlock_t *)> real_write_lock;
const real<"pthread_rwlock_timedrdlock", int(pthread_rwlock_t *, const timespec *)> real_timed_read_lock;
const real<"pthread_rwlock_timedwrlock", int(pthread_rwlock_t *, const timespec *)> real_timed_write_lock;
const real<"pthread_rwlock_clockrdlock", int(pthread_rwlock_t *, clockid_t, const timespec *)>
    real_clock_read_lock;
const real<"pthread_rwlock_clockwrlock", int(pthread_rwlock_t *, clockid_t, const timespec *)>
    real_clock_write_lock;
const real<"pthread_rwlock_unlock", int(pthread_rwlock_t *)> real_rwlock_unlock;
const real<"pthread_spin_lock", int(pthread_spinlock_t *)> real_spin_lock;
const real<"sem_wait", int(sem_t *)> real_sem_wait;
const real<"sem_timedwait", int(sem_t *, const timespec *)> real_sem_timed_wait;
const real<"sem_clockwait", int(sem_t *, clockid_t, const timespec *)> real_sem_clock_wait;
const real<"sem_post", int(sem_t *)> real_sem_post;

int read_lock_as_fiber(pthread_rwlock_t *lock, const deadline &end) {
    return wait_for(lock, EBUSY, end, [=] { return pthread_rwlock_tryrdlock(lock); });
}
int write_lock_as_fiber(pthread_rwlock_t *lock, const deadline &end) {
    return wait_for(lock, EBUSY, end, [=] { return pthread_rwlock_trywrlock(lock); });
}

int sem_wait_as_fiber(sem_t *semaphore, const deadline &end) {
    const int error =
        wait_for(semaphore, EAGAIN, end, [=] { return sem_trywait(semaphore) == 0 ? 0 : errno; });
    if (error != 0) {
        errno = error;
        return -1;
    }
    return 0;
}

deadline on(clockid_t clock, const timespec *end) {
    return {clock, nanoseconds_of(*end)};
}

} // namespace

int lock_as_fiber(pthread_mutex_t *mutex, const deadline &end) {
    return wait_for(mutex, EBUSY, end, [=] { return pthread_mutex_trylock(mutex); });
}

int unlock(pthread_mutex_t *mutex) {
    const int result = real_unlock(mutex);
    if (has_waiters()) {
        wake(mutex, 1);
    }
    return result;
}

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
    return gives_way(__builtin_return_address(0)) ? lock_as_fiber(mutex, {}) : real_lock(mutex);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const timespec *end) noexcept {
    return gives_way(__builtin_return_address(0)) && is_valid(*end)
               ? lock_as_fiber(mutex, on(CLOCK_REALTIME, end))
               : real_timed_lock(mutex, end);
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const timespec *end) noexcept {
    return gives_way(__builtin_return_address(0)) && is_valid(*end) ? lock_as_fiber(mutex, on(clock, end))
                                                                    : real_clock_lock(mutex, clock, end);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) noexcept {
    return unlock(mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) noexcept {
    return gives_way(__builtin_return_address(0)) ? read_lock_as_fiber(lock, {}) : real_read_lock(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) noexcept {
    return gives_way(__builtin_return_address(0)) ? write_lock_as_fiber(lock, {}) : real_write_lock(lock);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const timespec *end) noexcept {
    return gives_way(__builtin_return_address(0)) && is_valid(*end)
               ? read_lock_as_fiber(lock, on(CLOCK_REALTIME, end))
               : real_timed_read_lock(lock, end);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const timespec *end) noexcept {
    return gives_way(__builtin_return_address(0)) && is_valid(*end)
               ? write_lock_as_fiber(lock, on(CLOCK_REALTIME, end))
               : real_timed_write_lock(lock, end);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const timespec *end) noexcept {
    return gives_way(__builtin_return_address(0)) && is_valid(*end) ? read_lock_as_fiber(lock, on(clock, end))
                                                                    : real_clock_read_lock(lock, clock, end);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const timespec *end) noexcept {
    return gives_way(__builtin_return_address(0)) && is_valid(*end)
               ? write_lock_as_fiber(lock, on(clock, end))
               : real_clock_write_lock(lock, clock, end);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) noexcept {
    const int result = real_rwlock_unlock(lock);
    if (has_waiters()) {
        wake(lock, INT_MAX); // several readers may enter
    }
    return result;
}

int pthread_spin_lock(pthread_spinlock_t *lock) noexcept {
    return gives_way(__builtin_return_address(0))
               ? wait_for(const_cast<int *>(lock), EBUSY, {}, [=] { return pthread_spin_trylock(lock); })
               : real_spin_lock(lock);
}

int sem_wait(sem_t *semaphore) {
    return gives_way(__builtin_return_address(0)) ? sem_wait_as_fiber(semaphore, {})
                                                  : real_sem_wait(semaphore);
}

int sem_timedwait(sem_t *semaphore, const timespec *end) {
    return gives_way(__builtin_return_address(0)) && is_valid(*end)
               ? sem_wait_as_fiber(semaphore, on(CLOCK_REALTIME, end))
               : real_sem_timed_wait(semaphore, end);
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const timespec *end) {
    return gives_way(__builtin_return_address(0)) && is_valid(*end)
               ? sem_wait_as_fiber(semaphore, on(clock, end))
               : real_sem_clock_wait(semaphore, clock, end);
}

// Signal handlers may post.
int sem_post(sem_t *semaphore) noexcept {
    const int result = real_sem_post(semaphore);
    if (has_waiters()) {
        try_to_wake(semaphore);
    }
    return result;
}

// C11's mutexes are POSIX's under another name.
int mtx_lock(mtx_t *mutex) {
    auto *const same = reinterpret_cast<pthread_mutex_t *>(mutex);
    return c11_result(gives_way(__builtin_return_address(0)) ? lock_as_fiber(same, {}) : real_lock(same));
}

int mtx_timedlock(mtx_t *mutex, const timespec *end) {
    auto *const same = reinterpret_cast<pthread_mutex_t *>(mutex);
    return c11_result(gives_way(__builtin_return_address(0)) && is_valid(*end)
                          ? lock_as_fiber(same, on(CLOCK_REALTIME, end))
                          : real_timed_lock(same, end));
}

int mtx_unlock(mtx_t *mutex) {
    return c11_result(unlock(reinterpret_cast<pthread_mutex_t *>(mutex)));
}

} // extern "C"
