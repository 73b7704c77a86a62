// SPDX-License-Identifier: Apache-2.0
// Calls that change what only a whole process can have, so that one rank would change it for all: they are
// refused with a sentence, unless they change nothing.
#include "launch/host/process/number.hpp"
#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/real.hpp"
#include "library/host_interface.h"

#include <aio.h>
#include <climits>
#include <grp.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"setsid", pid_t()> real_setsid;
const real<"setpgid", int(pid_t, pid_t)> real_setpgid;
const real<"setpgrp", int()> real_setpgrp;
const real<"setuid", int(uid_t)> real_setuid;
const real<"setgid", int(gid_t)> real_setgid;
const real<"seteuid", int(uid_t)> real_seteuid;
const real<"setegid", int(gid_t)> real_setegid;
const real<"setreuid", int(uid_t, uid_t)> real_setreuid;
const real<"setregid", int(gid_t, gid_t)> real_setregid;
const real<"setresuid", int(uid_t, uid_t, uid_t)> real_setresuid;
const real<"setresgid", int(gid_t, gid_t, gid_t)> real_setresgid;
const real<"setgroups", int(std::size_t, const gid_t *)> real_setgroups;
const real<"initgroups", int(const char *, gid_t)> real_initgroups;
const real<"setfsuid", int(uid_t)> real_setfsuid;
const real<"setfsgid", int(gid_t)> real_setfsgid;
const real<"unshare", int(int)> real_unshare;
const real<"setns", int(int, int)> real_setns;
const real<"daemon", int(int, int)> real_daemon;
const real<"munlockall", int()> real_munlockall;
const real<"close_range", int(unsigned, unsigned, int)> real_close_range;
const real<"closefrom", void(int)> real_closefrom;
const real<"fcloseall", int()> real_fcloseall;
const real<"mq_notify", int(mqd_t, const sigevent *)> real_notify;
const real<"pthread_setattr_default_np", int(const pthread_attr_t *)> real_set_thread_defaults;
const real<"semop", int(int, sembuf *, std::size_t)> real_semop;
const real<"semtimedop", int(int, sembuf *, std::size_t, const timespec *)> real_semtimedop;
const real<"dup2", int(int, int)> real_dup2;
const real<"dup3", int(int, int, int)> real_dup3;
const real<"close", int(int)> real_close;

constexpr const char *one_session = "one session and process group";
constexpr const char *one_user = "one user and one set of groups";
constexpr const char *descriptors = "one set of descriptors, in which others have theirs";
constexpr const char *standard =
    "one set of standard descriptors (freopen redirects one rank's stdout or stderr)";

/// Refuses a rank's call that would change something; else does it.
template <class Real, class... Arguments>
auto unless(bool changes, const void *caller, const char *call, const char *have, const Real &real,
            Arguments... arguments) -> decltype(real(arguments...)) {
    if (changes && is_call_of_rank(caller)) {
        return refuse_call(call, have);
    }
    return real(arguments...);
}

/// Whether an id is none that the process has, nor says that its own is to stay.
bool differs(unsigned wanted, unsigned now) {
    return wanted != now && wanted != UINT_MAX;
}

/// Whether one of the operations is to be undone at the end of the process.
bool is_undone(const sembuf *operations, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
        if ((operations[i].sem_flg & SEM_UNDO) != 0) {
            return true;
        }
    }
    return false;
}

bool in_fiber() {
    return lisle_host_in_fiber() != 0;
}

bool is_standard(int descriptor) {
    return descriptor >= STDIN_FILENO && descriptor <= STDERR_FILENO && lisle_host_rank_count() > 1;
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

pid_t setsid() noexcept {
    return unless(true, __builtin_return_address(0), "setsid", one_session, real_setsid);
}

int setpgrp() noexcept {
    return unless(true, __builtin_return_address(0), "setpgrp", one_session, real_setpgrp);
}

// Of a child it is its parent's affair.
int setpgid(pid_t process, pid_t group) noexcept {
    return unless(process == 0 || is_own_number(process), __builtin_return_address(0), "setpgid", one_session,
                  real_setpgid, process, group);
}

int setuid(uid_t user) noexcept {
    return unless(differs(user, geteuid()), __builtin_return_address(0), "setuid", one_user, real_setuid,
                  user);
}

int setgid(gid_t group) noexcept {
    return unless(differs(group, getegid()), __builtin_return_address(0), "setgid", one_user, real_setgid,
                  group);
}

int seteuid(uid_t user) noexcept {
    return unless(differs(user, geteuid()), __builtin_return_address(0), "seteuid", one_user, real_seteuid,
                  user);
}

int setegid(gid_t group) noexcept {
    return unless(differs(group, getegid()), __builtin_return_address(0), "setegid", one_user, real_setegid,
                  group);
}

int setreuid(uid_t user, uid_t effective) noexcept {
    return unless(differs(user, getuid()) || differs(effective, geteuid()), __builtin_return_address(0),
                  "setreuid", one_user, real_setreuid, user, effective);
}

int setregid(gid_t group, gid_t effective) noexcept {
    return unless(differs(group, getgid()) || differs(effective, getegid()), __builtin_return_address(0),
                  "setregid", one_user, real_setregid, group, effective);
}

int setresuid(uid_t user, uid_t effective, uid_t saved) noexcept {
    uid_t now[3]{};
    getresuid(&now[0], &now[1], &now[2]);
    return unless(differs(user, now[0]) || differs(effective, now[1]) || differs(saved, now[2]),
                  __builtin_return_address(0), "setresuid", one_user, real_setresuid, user, effective, saved);
}

int setresgid(gid_t group, gid_t effective, gid_t saved) noexcept {
    gid_t now[3]{};
    getresgid(&now[0], &now[1], &now[2]);
    return unless(differs(group, now[0]) || differs(effective, now[1]) || differs(saved, now[2]),
                  __builtin_return_address(0), "setresgid", one_user, real_setresgid, group, effective,
                  saved);
}

int setgroups(std::size_t count, const gid_t *groups) noexcept {
    return unless(true, __builtin_return_address(0), "setgroups", one_user, real_setgroups, count, groups);
}

int initgroups(const char *user, gid_t group) {
    return unless(true, __builtin_return_address(0), "initgroups", one_user, real_initgroups, user, group);
}

// The kernel keeps these two for a thread.
int setfsuid(uid_t user) noexcept {
    return unless(in_fiber() && differs(user, geteuid()), __builtin_return_address(0), "setfsuid",
                  "one user for files on a worker", real_setfsuid, user);
}

int setfsgid(gid_t group) noexcept {
    return unless(in_fiber() && differs(group, getegid()), __builtin_return_address(0), "setfsgid",
                  "one group for files on a worker", real_setfsgid, group);
}

int unshare(int what) noexcept {
    return unless(what != 0, __builtin_return_address(0), "unshare", "one set of namespaces", real_unshare,
                  what);
}

int setns(int where, int kind) noexcept {
    return unless(true, __builtin_return_address(0), "setns", "one set of namespaces", real_setns, where,
                  kind);
}

// Its parent, which ends, would be all ranks.
int daemon(int keeps_folder, int keeps_files) noexcept {
    return unless(true, __builtin_return_address(0), "daemon", one_session, real_daemon, keeps_folder,
                  keeps_files);
}

int munlockall() noexcept {
    return unless(lisle_host_rank_count() > 1, __builtin_return_address(0), "munlockall",
                  "one memory, which others may have locked", real_munlockall);
}

int close_range(unsigned first, unsigned last, int flags) noexcept {
    return unless(true, __builtin_return_address(0), "close_range", descriptors, real_close_range, first,
                  last, flags);
}

void closefrom(int first) noexcept {
    if (is_call_of_rank(__builtin_return_address(0))) {
        refuse_call("closefrom", descriptors);
        return;
    }
    real_closefrom(first);
}

int fcloseall() {
    return unless(true, __builtin_return_address(0), "fcloseall", "one list of open files", real_fcloseall);
}

int mq_notify(mqd_t queue, const sigevent *event) noexcept {
    const bool asks = event != nullptr && event->sigev_notify != SIGEV_NONE;
    return unless(asks, __builtin_return_address(0), "mq_notify", "one place for its signals and threads",
                  real_notify, queue, event);
}

int pthread_setattr_default_np(const pthread_attr_t *attributes) {
    return unless(true, __builtin_return_address(0), "pthread_setattr_default_np",
                  "the same defaults of threads", real_set_thread_defaults, attributes) == -1
               ? errno
               : 0;
}

// What is to be undone at the end of a process would be when the last rank ends.
int semop(int set, sembuf *operations, std::size_t count) noexcept {
    return unless(is_undone(operations, count), __builtin_return_address(0), "semop(SEM_UNDO)", "one end",
                  real_semop, set, operations, count);
}

int semtimedop(int set, sembuf *operations, std::size_t count, const timespec *limit) noexcept {
    return unless(is_undone(operations, count), __builtin_return_address(0), "semtimedop(SEM_UNDO)",
                  "one end", real_semtimedop, set, operations, count, limit);
}

int dup2(int from, int to) noexcept {
    return unless(from != to && is_standard(to), __builtin_return_address(0), "dup2", standard, real_dup2,
                  from, to);
}

int dup3(int from, int to, int flags) noexcept {
    return unless(from != to && is_standard(to), __builtin_return_address(0), "dup3", standard, real_dup3,
                  from, to, flags);
}

int close(int descriptor) {
    return unless(is_standard(descriptor), __builtin_return_address(0), "close", standard, real_close,
                  descriptor);
}

} // extern "C"
