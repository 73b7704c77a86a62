// SPDX-License-Identifier: Apache-2.0
// Processors, priorities and names of threads. A thread rank's are those of its thread, so the kernel keeps
// them; fibers exchange them. The number by which a fiber names itself is another thread's, so calls that
// take one are turned to the fiber's worker.
#include "launch/host/process/exchanged.hpp"
#include "launch/host/process/fiber_name.hpp"
#include "launch/host/process/number.hpp"
#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/real.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"sched_setaffinity", int(pid_t, std::size_t, const cpu_set_t *)> real_set_processors;
const real<"sched_getaffinity", int(pid_t, std::size_t, cpu_set_t *)> real_get_processors;
const real<"pthread_setaffinity_np", int(pthread_t, std::size_t, const cpu_set_t *)>
    real_set_processors_of_thread;
const real<"pthread_getaffinity_np", int(pthread_t, std::size_t, cpu_set_t *)> real_get_processors_of_thread;
const real<"sched_setscheduler", int(pid_t, int, const sched_param *)> real_set_policy;
const real<"sched_getscheduler", int(pid_t)> real_get_policy;
const real<"sched_setparam", int(pid_t, const sched_param *)> real_set_parameter;
const real<"sched_getparam", int(pid_t, sched_param *)> real_get_parameter;
const real<"pthread_setschedparam", int(pthread_t, int, const sched_param *)> real_set_policy_of_thread;
const real<"pthread_setschedprio", int(pthread_t, int)> real_set_priority_of_thread;
const real<"setpriority", int(__priority_which_t, id_t, int)> real_set_niceness;
const real<"getpriority", int(__priority_which_t, id_t)> real_get_niceness;
const real<"nice", int(int)> real_nice;
const real<"pthread_setname_np", int(pthread_t, const char *)> real_set_name;
const real<"pthread_getname_np", int(pthread_t, char *, std::size_t)> real_get_name;
const real<"personality", int(unsigned long)> real_personality;
const real<"pthread_setcancelstate", int(int, int *)> real_set_cancelling;
const real<"pthread_setcanceltype", int(int, int *)> real_set_cancel_type;

/// Room for 8,192 processors, the most that kernels are built for.
struct processors {
    using value = std::array<unsigned long, 128>;
    static value read() {
        value mask{};
        real_get_processors(0, sizeof mask, reinterpret_cast<cpu_set_t *>(mask.data()));
        return mask;
    }
    static void apply(const value &mask) {
        real_set_processors(0, sizeof mask, reinterpret_cast<const cpu_set_t *>(mask.data()));
    }
};
/// Those that a fiber has asked for. It reads them back, but stays with its worker, which runs where the
/// launcher has put it: to move the worker with each fiber takes a hundred times as long as to change fibers.
const rank_slot<std::unique_ptr<processors::value>> fiber_processors; // null: it has asked for none

struct policy {
    struct value {
        int policy;
        int priority;
        bool operator==(const value &) const = default;
    };
    static value read() {
        sched_param parameter{};
        real_get_parameter(0, &parameter);
        return {real_get_policy(0), parameter.sched_priority};
    }
    static void apply(const value &wanted) {
        const sched_param parameter{wanted.priority};
        real_set_policy_of_thread(pthread_self(), wanted.policy, &parameter); // the C library notes it, too
    }
};
exchanged<policy> fiber_policy;

struct niceness {
    using value = int;
    static value read() { return real_get_niceness(PRIO_PROCESS, 0); }
    static void apply(value wanted) { real_set_niceness(PRIO_PROCESS, 0, wanted); }
};
exchanged<niceness> fiber_niceness;

struct thread_name {
    using value = std::array<char, 16>;
    static value read() {
        value name{};
        real_get_name(pthread_self(), name.data(), name.size());
        return name;
    }
    static void apply(const value &name) { real_set_name(pthread_self(), name.data()); }
};
exchanged<thread_name> fiber_name;

struct persona {
    using value = int;
    static value read() { return real_personality(0xffffffff); }
    static void apply(value wanted) { real_personality(static_cast<unsigned long>(wanted)); }
};
exchanged<persona> fiber_persona;

/// What pthread_cancel may do to the thread.
struct cancelling {
    struct value {
        int state;
        int type;
        bool operator==(const value &) const = default;
    };
    static value read() {
        value now{};
        real_set_cancelling(PTHREAD_CANCEL_DISABLE, &now.state);
        real_set_cancel_type(PTHREAD_CANCEL_DEFERRED, &now.type);
        apply(now);
        return now;
    }
    static void apply(const value &wanted) {
        real_set_cancel_type(wanted.type, nullptr);
        real_set_cancelling(wanted.state, nullptr);
    }
};
exchanged<cancelling> fiber_cancelling;

bool is_fiber_call(const void *caller) {
    return lisle_host_in_fiber() != 0 && is_call_of_rank(caller);
}
/// Whether a call of a fiber with this number means the fiber.
bool means_fiber(pid_t number, const void *caller) {
    return is_fiber_call(caller) && (number == 0 || number == known_number());
}
bool means_fiber(pthread_t thread, const void *caller) {
    return is_fiber_call(caller) && pthread_equal(thread, pthread_self()) != 0;
}

/// Whether a worker that has become nicer can take it back for other fibers.
bool may_become_less_nice() {
    rlimit limit{};
    return geteuid() == 0 || (getrlimit(RLIMIT_NICE, &limit) == 0 && limit.rlim_cur >= 40);
}

int set_fiber_niceness(const char *call, int wanted) {
    if (!may_become_less_nice()) {
        return refuse_call(call, "one priority on a worker, which the system does not let go back");
    }
    return fiber_niceness.change([=] { return real_set_niceness(PRIO_PROCESS, 0, wanted); });
}

/// @param call sets them for the worker, if they can be set
template <class Call> int set_fiber_processors(Call call) {
    const processors::value of_worker = processors::read();
    const int result = call();
    if (result == 0) {
        fiber_processors.current() = std::make_unique<processors::value>(processors::read());
        if (lisle_host_rank_count() > lisle_host_worker_count()) {
            processors::apply(of_worker);
        }
    }
    return result;
}

/// What has been read of the worker becomes what the fiber has asked for, if it has.
int show_fiber_processors(int result, std::size_t size, cpu_set_t *mask) {
    if (const auto &own = fiber_processors.current(); result == 0 && own) {
        std::memcpy(mask, own->data(), std::min(size, sizeof *own));
    }
    return result;
}

} // namespace

int name_fiber(const char *name) {
    thread_name::value cut{};
    std::copy_n(name, strnlen(name, cut.size() - 1), cut.begin());
    errno = fiber_name.change([&cut] { return real_set_name(pthread_self(), cut.data()); });
    return errno == 0 ? 0 : -1;
}

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int sched_setaffinity(pid_t number, std::size_t size, const cpu_set_t *mask) noexcept {
    return means_fiber(number, __builtin_return_address(0))
               ? set_fiber_processors([=] { return real_set_processors(0, size, mask); })
               : real_set_processors(number, size, mask);
}

int sched_getaffinity(pid_t number, std::size_t size, cpu_set_t *mask) noexcept {
    return means_fiber(number, __builtin_return_address(0))
               ? show_fiber_processors(real_get_processors(0, size, mask), size, mask)
               : real_get_processors(number, size, mask);
}

int pthread_setaffinity_np(pthread_t thread, std::size_t size, const cpu_set_t *mask) noexcept {
    const auto call = [=] { return real_set_processors_of_thread(thread, size, mask); };
    return means_fiber(thread, __builtin_return_address(0)) ? set_fiber_processors(call) : call();
}

int pthread_getaffinity_np(pthread_t thread, std::size_t size, cpu_set_t *mask) noexcept {
    const int result = real_get_processors_of_thread(thread, size, mask);
    return means_fiber(thread, __builtin_return_address(0)) ? show_fiber_processors(result, size, mask)
                                                            : result;
}

int sched_setscheduler(pid_t number, int wanted, const sched_param *parameter) noexcept {
    return means_fiber(number, __builtin_return_address(0))
               ? fiber_policy.change([=] { return real_set_policy(0, wanted, parameter); })
               : real_set_policy(number, wanted, parameter);
}

int sched_getscheduler(pid_t number) noexcept {
    return real_get_policy(means_fiber(number, __builtin_return_address(0)) ? 0 : number);
}

int sched_setparam(pid_t number, const sched_param *parameter) noexcept {
    return means_fiber(number, __builtin_return_address(0))
               ? fiber_policy.change([=] { return real_set_parameter(0, parameter); })
               : real_set_parameter(number, parameter);
}

int sched_getparam(pid_t number, sched_param *parameter) noexcept {
    return real_get_parameter(means_fiber(number, __builtin_return_address(0)) ? 0 : number, parameter);
}

int pthread_setschedparam(pthread_t thread, int wanted, const sched_param *parameter) noexcept {
    const auto call = [=] { return real_set_policy_of_thread(thread, wanted, parameter); };
    return means_fiber(thread, __builtin_return_address(0)) ? fiber_policy.change(call) : call();
}

int pthread_setschedprio(pthread_t thread, int priority) noexcept {
    const auto call = [=] { return real_set_priority_of_thread(thread, priority); };
    return means_fiber(thread, __builtin_return_address(0)) ? fiber_policy.change(call) : call();
}

int setpriority(__priority_which_t which, id_t number, int wanted) noexcept {
    return which == PRIO_PROCESS && means_fiber(static_cast<pid_t>(number), __builtin_return_address(0))
               ? set_fiber_niceness("setpriority", wanted)
               : real_set_niceness(which, number, wanted);
}

int getpriority(__priority_which_t which, id_t number) noexcept {
    const bool meant =
        which == PRIO_PROCESS && means_fiber(static_cast<pid_t>(number), __builtin_return_address(0));
    return real_get_niceness(which, meant ? 0 : number);
}

int nice(int more) noexcept {
    if (!is_fiber_call(__builtin_return_address(0))) {
        return real_nice(more);
    }
    return set_fiber_niceness("nice", niceness::read() + more) == 0 ? niceness::read() : -1;
}

int pthread_setname_np(pthread_t thread, const char *name) noexcept {
    const auto call = [=] { return real_set_name(thread, name); };
    return means_fiber(thread, __builtin_return_address(0)) ? fiber_name.change(call) : call();
}

int personality(unsigned long wanted) noexcept {
    return is_fiber_call(__builtin_return_address(0))
               ? fiber_persona.change([=] { return real_personality(wanted); })
               : real_personality(wanted);
}

int pthread_setcancelstate(int state, int *former) {
    const auto call = [=] { return real_set_cancelling(state, former); };
    return is_fiber_call(__builtin_return_address(0)) ? fiber_cancelling.change(call) : call();
}

int pthread_setcanceltype(int type, int *former) {
    const auto call = [=] { return real_set_cancel_type(type, former); };
    return is_fiber_call(__builtin_return_address(0)) ? fiber_cancelling.change(call) : call();
}

} // extern "C"
