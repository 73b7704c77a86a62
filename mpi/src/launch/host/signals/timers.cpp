// SPDX-License-Identifier: Apache-2.0
#include "launch/host/signals/timers.hpp"

#include "launch/host/signals/dispatch.hpp"
#include "launch/host/signals/hosting.hpp"
#include "launch/host/signals/kernel.hpp"

#include <cerrno>
#include <ctime>
#include <new>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"setitimer", int(int, const itimerval *, itimerval *)> real_set_interval;
const real<"getitimer", int(int, itimerval *)> real_get_interval;
const real<"alarm", unsigned(unsigned)> real_alarm;
const real<"ualarm", useconds_t(useconds_t, useconds_t)> real_ualarm;
const real<"timer_getoverrun", int(timer_t)> real_overrun;

/// A timer of a rank. Never freed, since its signal may be under way: used again.
struct timer_record {
    rank_signals *owner; ///< null: free
    timer_t timer;       ///< the C library's
    int interval;        ///< of setitimer, which one; -1: of timer_create
    sigval value;        ///< for the program
    int overrun;         ///< of the last signal that came
    void (*notify)(sigval);
    timer_record *next;
};
constinit timer_record *timers = nullptr; // under the lock of signals

/// A free record, which is the rank's now. Null: there is no memory.
timer_record *take_record(rank_signals &owner, int interval) {
    const auto take = [&owner, interval](timer_record *from) {
        timer_record *found = from;
        while (found != nullptr && found->owner != nullptr) {
            found = found->next;
        }
        if (found != nullptr) {
            *found = {&owner, nullptr, interval, {}, 0, nullptr, found->next};
        }
        return found;
    };
    {
        const signals_locked lock;
        if (timer_record *const free = take(timers)) {
            return free;
        }
    }
    auto *const fresh = new (std::nothrow) timer_record{}; // not under the lock, which handlers take
    if (fresh == nullptr) {
        return nullptr;
    }
    const signals_locked lock;
    fresh->next = timers;
    timers = fresh;
    return take(fresh);
}

timer_record *find_locked(const rank_signals &owner, timer_t timer) {
    timer_record *found = timers;
    while (found != nullptr && (found->owner != &owner || found->timer != timer)) {
        found = found->next;
    }
    return found;
}

timer_record *find_interval(const rank_signals &owner, int which) {
    const signals_locked lock;
    timer_record *found = timers;
    while (found != nullptr && (found->owner != &owner || found->interval != which)) {
        found = found->next;
    }
    return found;
}

void free_record(timer_record &one) {
    const signals_locked lock;
    one.owner = nullptr;
}

/// The processor time of the calling thread, as the kernel's timers name it.
/// @param kind 0: used by it and for it, 1: used by it, 2: as the scheduler counts it
constexpr clockid_t clock_of_thread(pid_t thread, int kind) {
    constexpr unsigned of_one_thread = 4;
    return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | of_one_thread |
                                  static_cast<unsigned>(kind));
}

/// Makes the kernel's timer of a record. Returns -1 with errno if there is none.
int make_timer(timer_record &record, clockid_t clock, int signal) {
    {
        const signals_locked lock;
        if (watch_locked(bit_of(signal)) != 0) {
            errno = ENOTSUP;
            return -1;
        }
    }
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID; // the main thread has no rank whose calls it could interrupt
    event._sigev_un._tid = getpid();
    event.sigev_signo = signal;
    event.sigev_value.sival_ptr = &record;
    return kernel::create_timer(clock, &event, &record.timer);
}

/// The rank's timer for setitimer. Null, with errno: there is none, and none is made if not `wanted`.
timer_record *interval_timer(int which, bool wanted) {
    rank_signals &mine = signals_of.of(*this_rank());
    timer_record *record = find_interval(mine, which);
    if (record != nullptr || !wanted) {
        return record;
    }
    if (mine.use() == nullptr || (record = take_record(mine, which)) == nullptr) {
        errno = ENOMEM;
        return nullptr;
    }
    const clockid_t clocks[] = {CLOCK_MONOTONIC, clock_of_thread(gettid(), 1), clock_of_thread(gettid(), 0)};
    constexpr int signals[] = {SIGALRM, SIGVTALRM, SIGPROF};
    if (make_timer(*record, clocks[which], signals[which]) != 0) {
        free_record(*record);
        return nullptr;
    }
    return record;
}

timespec precise(const timeval &time) {
    return {time.tv_sec, time.tv_usec * 1000};
}
timeval coarse(const timespec &time) { // what is left is never told as nothing
    return {time.tv_sec, (time.tv_nsec + 999) / 1000 < 1'000'000 ? (time.tv_nsec + 999) / 1000 : 999'999};
}
bool is_valid(const timeval &time) {
    return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1'000'000;
}

int set_interval(int which, const itimerval &wanted, itimerval *former) {
    if (which < ITIMER_REAL || which > ITIMER_PROF || !is_valid(wanted.it_value) ||
        !is_valid(wanted.it_interval)) {
        errno = EINVAL;
        return -1;
    }
    const bool starts = wanted.it_value.tv_sec != 0 || wanted.it_value.tv_usec != 0;
    errno = 0;
    timer_record *const record = interval_timer(which, starts);
    itimerspec before{};
    const itimerspec now{precise(wanted.it_interval), precise(wanted.it_value)};
    if (record == nullptr ? starts : timer_settime(record->timer, 0, &now, &before) != 0) {
        return -1;
    }
    if (former != nullptr) {
        *former = {coarse(before.it_interval), coarse(before.it_value)};
    }
    return 0;
}

/// On a thread of the C library's that begins for an expired timer (SIGEV_THREAD).
void notify(sigval value) {
    const timer_record *const record = static_cast<timer_record *>(value.sival_ptr);
    rank_signals *owner = nullptr;
    void (*function)(sigval) = nullptr;
    sigval of_program{};
    {
        const signals_locked lock;
        owner = record->owner;
        function = record->notify;
        of_program = record->value;
        if (owner == nullptr || !owner->lives.load(std::memory_order_relaxed)) {
            return;
        }
    }
    begin_thread_of(*owner->rank);
    function(of_program);
}

int create_for_rank(clockid_t clock, const sigevent &event, bool by_default, timer_t *timer) {
    rank_signals &mine = signals_of.of(*this_rank());
    timer_record *const record = mine.use() != nullptr ? take_record(mine, -1) : nullptr;
    if (record == nullptr) {
        errno = EAGAIN;
        return -1;
    }
    record->value = event.sigev_value;
    const clockid_t meant = clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID
                                ? clock_of_thread(gettid(), 2)
                                : clock;
    int result = -1;
    if (event.sigev_notify == SIGEV_THREAD) {
        sigevent own = event;
        record->notify = event.sigev_notify_function;
        own.sigev_notify_function = &notify;
        own.sigev_value.sival_ptr = record;
        result = kernel::create_timer(meant, &own, &record->timer);
    } else {
        result = make_timer(*record, meant, event.sigev_signo);
    }
    if (result != 0) {
        free_record(*record);
        return -1;
    }
    *timer = record->timer;
    if (by_default) {
        record->value.sival_ptr = record->timer; // [timer_create(2)]
    }
    return 0;
}

} // namespace

bool is_of_timer_locked(const siginfo_t &information) noexcept {
    const timer_record *each = information.si_code == SI_TIMER ? timers : nullptr;
    while (each != nullptr && each != information.si_value.sival_ptr) {
        each = each->next;
    }
    return each != nullptr;
}

rank_signals *rank_of_timer_locked(siginfo_t &information) noexcept {
    auto &record = *static_cast<timer_record *>(information.si_value.sival_ptr);
    if (record.owner == nullptr) {
        return nullptr;
    }
    record.overrun = information.si_overrun;
    information.si_value = record.value;
    if (record.interval >= 0) {
        const int signal = information.si_signo;
        information = {};
        information.si_signo = signal;
        information.si_code = SI_KERNEL;
    }
    return record.owner;
}

void end_timers_locked(const rank_signals &of) noexcept {
    for (timer_record *each = timers; each != nullptr; each = each->next) {
        if (each->owner == &of) {
            kernel::delete_timer(each->timer);
            each->owner = nullptr;
        }
    }
}

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int setitimer(__itimer_which_t which, const itimerval *wanted, itimerval *former) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0)) || wanted == nullptr) {
        return real_set_interval(static_cast<int>(which), wanted, former);
    }
    return set_interval(static_cast<int>(which), *wanted, former);
}

int getitimer(__itimer_which_t which, itimerval *now) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_get_interval(static_cast<int>(which), now);
    }
    const timer_record *const record = interval_timer(static_cast<int>(which), false);
    itimerspec left{};
    if (record != nullptr && timer_gettime(record->timer, &left) != 0) {
        return -1;
    }
    *now = {coarse(left.it_interval), coarse(left.it_value)};
    return 0;
}

unsigned alarm(unsigned seconds) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_alarm(seconds);
    }
    itimerval former{};
    set_interval(ITIMER_REAL, {{0, 0}, {static_cast<time_t>(seconds), 0}}, &former);
    const bool rounds_up =
        former.it_value.tv_usec >= 500'000 || (former.it_value.tv_sec == 0 && former.it_value.tv_usec != 0);
    return static_cast<unsigned>(former.it_value.tv_sec + (rounds_up ? 1 : 0));
}

useconds_t ualarm(useconds_t value, useconds_t interval) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_ualarm(value, interval);
    }
    itimerval former{};
    set_interval(ITIMER_REAL, {{0, static_cast<suseconds_t>(interval)}, {0, static_cast<suseconds_t>(value)}},
                 &former);
    return static_cast<useconds_t>(former.it_value.tv_sec * 1'000'000 + former.it_value.tv_usec);
}

int timer_create(clockid_t clock, sigevent *event, timer_t *timer) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0)) ||
        (event != nullptr && event->sigev_notify == SIGEV_NONE)) {
        return kernel::create_timer(clock, event, timer);
    }
    sigevent by_default{};
    by_default.sigev_notify = SIGEV_SIGNAL;
    by_default.sigev_signo = SIGALRM;
    const sigevent &wanted = event != nullptr ? *event : by_default;
    const bool known = wanted.sigev_notify == SIGEV_SIGNAL || wanted.sigev_notify == SIGEV_THREAD ||
                       wanted.sigev_notify == SIGEV_THREAD_ID;
    if (!known || (wanted.sigev_notify != SIGEV_THREAD &&
                   (wanted.sigev_signo < 1 || wanted.sigev_signo > last_signal))) {
        errno = EINVAL;
        return -1;
    }
    return create_for_rank(clock, wanted, event == nullptr, timer);
}

int timer_delete(timer_t timer) noexcept {
    if (is_call_of_rank(__builtin_return_address(0))) {
        const signals_locked lock;
        if (timer_record *const record = find_locked(signals_of.of(*this_rank()), timer)) {
            record->owner = nullptr;
        }
    }
    return kernel::delete_timer(timer);
}

int timer_getoverrun(timer_t timer) noexcept {
    if (is_call_of_rank(__builtin_return_address(0))) {
        const signals_locked lock;
        if (const timer_record *const record = find_locked(signals_of.of(*this_rank()), timer)) {
            return record->overrun;
        }
    }
    return real_overrun(timer);
}

} // extern "C"
