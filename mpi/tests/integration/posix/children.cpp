// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <setjmp.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

namespace rows {

namespace {

volatile sig_atomic_t handled = 0;
volatile sig_atomic_t children_ended = 0;
int before_fork = 0;
int in_parent = 0;
int in_fork_child = 0;
sigjmp_buf jump;
ucontext_t main_context;
ucontext_t other_context;
int visited = 0;

void on_signal(int) {
    handled = handled + rank + 1;
}
void on_jump(int) {
    siglongjmp(jump, 1);
}

void set(int number, void (*handler)(int), int flags = SA_RESTART) {
    struct sigaction wanted {};
    wanted.sa_handler = handler;
    wanted.sa_flags = flags;
    sigaction(number, &wanted, nullptr);
}

/// Waits until it holds, or for ten seconds.
template <class Holds> bool until(Holds holds) {
    for (int i = 0; i != 10'000 && !holds(); ++i) {
        usleep(1000);
    }
    return holds();
}

pid_t start(int status) {
    const pid_t child = fork();
    if (child == 0) {
        usleep(static_cast<useconds_t>(size - rank) * 2000); // the last rank's ends first
        _exit(status);
    }
    return child;
}

sigset_t set_of(int number) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    return one;
}

} // namespace

const std::vector<row> of_children{
    {"fork",
     [] {
         static int own = 0;
         own = rank;
         return is_own(in_child([] { return own * 2 + 1; }) == rank * 2 + 1 && own == rank);
     }},
    {"vfork",
     [] {
         const pid_t child = vfork();
         if (child == 0) {
             _exit(rank + 3);
         }
         int status = 0;
         waitpid(child, &status, 0);
         return is_own(WEXITSTATUS(status) == rank + 3);
     }},
    {"getppid in a child",
     [] {
         static pid_t own = 0;
         own = getpid();
         return is_own(in_child([] { return getppid() == own && getpid() != own ? 0 : 1; }) == 0);
     }},
    {"wait",
     [] {
         meet();
         const pid_t child = start(rank + 20);
         int status = 0;
         const bool holds = wait(&status) == child && WEXITSTATUS(status) == rank + 20 &&
                            wait(&status) == -1 && errno == ECHILD;
         meet();
         return is_own(holds);
     }},
    {"waitpid(-1)",
     [] {
         meet();
         const pid_t first = start(1);
         const pid_t second = start(2);
         int status = 0;
         const pid_t one = waitpid(-1, &status, 0);
         const pid_t other = waitpid(-1, &status, 0);
         const bool holds = std::min(one, other) == std::min(first, second) &&
                            std::max(one, other) == std::max(first, second) &&
                            waitpid(-1, &status, WNOHANG) == -1;
         meet();
         return is_own(holds);
     }},
    {"waitid(P_ALL)",
     [] {
         meet();
         const pid_t child = start(rank + 30);
         siginfo_t found{};
         const bool holds =
             waitid(P_ALL, 0, &found, WEXITED) == 0 && found.si_pid == child && found.si_status == rank + 30;
         meet();
         return is_own(holds);
     }},
    {"wait4",
     [] {
         meet();
         const pid_t child = start(5);
         rusage used{};
         int status = 0;
         const bool holds = wait4(-1, &status, 0, &used) == child && used.ru_maxrss > 0;
         meet();
         return is_own(holds);
     }},
    {"getrusage(RUSAGE_CHILDREN)",
     [] {
         rusage before{};
         getrusage(RUSAGE_CHILDREN, &before);
         meet();
         if (rank == 0) {
             in_child([] {
                 volatile double sum = 0;
                 while (std::clock() < CLOCKS_PER_SEC / 20) {
                     sum = sum + 1;
                 }
                 return 0;
             });
         }
         meet();
         rusage after{};
         getrusage(RUSAGE_CHILDREN, &after);
         const auto spent = (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1'000'000 +
                            after.ru_utime.tv_usec - before.ru_utime.tv_usec +
                            (after.ru_stime.tv_sec - before.ru_stime.tv_sec) * 1'000'000 +
                            after.ru_stime.tv_usec - before.ru_stime.tv_usec;
         return is_own(rank == 0 ? spent > 30'000 : spent == 0);
     }},
    {"pthread_atfork",
     [] {
         static const int registered =
             pthread_atfork([] { ++before_fork; }, [] { ++in_parent; }, [] { ++in_fork_child; });
         meet();
         int found = 0;
         if (rank == 0) {
             found = in_child([] { return in_fork_child; });
         }
         meet();
         return is_own(registered == 0 && (rank == 0 ? before_fork == 1 && in_parent == 1 && found == 1
                                                     : before_fork == 0 && in_parent == 0));
     }},
    {"posix_spawn",
     [] {
         const std::string command = "exit " + std::to_string(rank + 7);
         std::string shell = "sh";
         std::string option = "-c";
         std::string text = command;
         char *const words[] = {shell.data(), option.data(), text.data(), nullptr};
         pid_t child = 0;
         posix_spawn(&child, "/bin/sh", nullptr, nullptr, words, environ);
         int status = 0;
         waitpid(child, &status, 0);
         return is_own(WEXITSTATUS(status) == rank + 7);
     }},
    {"system",
     [] {
         return is_own(WEXITSTATUS(std::system(("exit " + std::to_string(rank + 9)).c_str())) == rank + 9);
     }},
    {"popen",
     [] {
         std::FILE *const answer = popen(("echo " + std::to_string(rank)).c_str(), "r");
         int found = -1;
         const bool holds = std::fscanf(answer, "%d", &found) == 1 && found == rank;
         return is_own(pclose(answer) == 0 && holds);
     }},
    {"exec without fork",
     [] { return attempt([] { return static_cast<long>(execl("/nowhere", "nowhere", nullptr)); }); }},
    {"signal and raise",
     [] {
         handled = 0;
         set(SIGUSR1, on_signal);
         meet();
         raise(SIGUSR1);
         meet();
         return is_own(handled == rank + 1);
     }},
    {"kill(getpid())",
     [] {
         handled = 0;
         set(SIGUSR2, on_signal);
         meet();
         kill(getpid(), SIGUSR2);
         meet();
         return is_own(until([] { return handled == rank + 1; }));
     }},
    {"pthread_kill",
     [] {
         handled = 0;
         set(SIGUSR2, on_signal);
         meet();
         pthread_kill(pthread_self(), SIGUSR2);
         meet();
         return is_own(handled == rank + 1);
     }},
    {"faults and siglongjmp",
     [] {
         set(SIGFPE, on_jump);
         meet();
         if (sigsetjmp(jump, 1) != 0) {
             return outcome::own;
         }
         raise(SIGFPE);
         return outcome::shared;
     }},
    {"sigprocmask and sigpending",
     [] {
         const sigset_t one = set_of(SIGUSR1);
         handled = 0;
         if (rank == 0) {
             sigprocmask(SIG_BLOCK, &one, nullptr);
         }
         meet();
         raise(SIGUSR1);
         meet();
         sigset_t pending;
         sigpending(&pending);
         const bool held_back = handled == 0 && sigismember(&pending, SIGUSR1) == 1;
         const bool holds = rank == 0 ? held_back : handled == rank + 1;
         sigprocmask(SIG_UNBLOCK, &one, nullptr);
         return is_own(holds);
     }},
    {"sigwait",
     [] {
         const sigset_t one = set_of(SIGUSR1);
         sigprocmask(SIG_BLOCK, &one, nullptr);
         meet();
         raise(SIGUSR1);
         int found = 0;
         const bool holds = sigwait(&one, &found) == 0 && found == SIGUSR1;
         meet();
         sigprocmask(SIG_UNBLOCK, &one, nullptr);
         return is_own(holds);
     }},
    {"signalfd",
     [] {
         const sigset_t one = set_of(SIGUSR2);
         sigprocmask(SIG_BLOCK, &one, nullptr);
         const int file = signalfd(-1, &one, SFD_CLOEXEC);
         meet();
         kill(getpid(), SIGUSR2);
         signalfd_siginfo found{};
         const bool holds = read(file, &found, sizeof found) == sizeof found && found.ssi_signo == SIGUSR2;
         meet();
         close(file);
         sigprocmask(SIG_UNBLOCK, &one, nullptr);
         return is_own(holds);
     }},
    {"sigaltstack",
     [] {
         static char memory[1 << 16];
         stack_t wanted{};
         wanted.ss_sp = memory;
         wanted.ss_size = sizeof memory;
         sigaltstack(&wanted, nullptr);
         meet();
         stack_t found{};
         sigaltstack(nullptr, &found);
         return is_own(found.ss_sp == memory);
     }},
    {"SIGCHLD",
     [] {
         children_ended = 0;
         set(SIGCHLD, [](int) { children_ended = children_ended + 1; });
         meet();
         const int status = rank == 0 ? in_child([] { return 0; }) : 0;
         const bool told = rank != 0 || until([] { return children_ended == 1; });
         meet();
         set(SIGCHLD, SIG_DFL);
         return is_own(status == 0 && told && children_ended == (rank == 0 ? 1 : 0));
     }},
    {"alarm",
     [] {
         handled = 0;
         set(SIGALRM, on_signal);
         meet();
         alarm(rank == 0 ? 1 : 0);
         const bool rang = rank != 0 || until([] { return handled == 1; });
         meet();
         return is_own(rang && handled == (rank == 0 ? 1 : 0));
     }},
    {"setitimer",
     [] {
         handled = 0;
         set(SIGALRM, on_signal);
         itimerval wanted{};
         wanted.it_value.tv_usec = rank == 0 ? 1000 : 0;
         meet();
         setitimer(ITIMER_REAL, &wanted, nullptr);
         const bool rang = rank != 0 || until([] { return handled == 1; });
         meet();
         return is_own(rang && handled == (rank == 0 ? 1 : 0));
     }},
    {"timer_create",
     [] {
         handled = 0;
         set(SIGUSR2, on_signal);
         timer_t timer{};
         sigevent event{};
         event.sigev_notify = SIGEV_SIGNAL;
         event.sigev_signo = SIGUSR2;
         timer_create(CLOCK_MONOTONIC, &event, &timer);
         itimerspec wanted{};
         wanted.it_value.tv_nsec = rank == 0 ? 1'000'000 : 0;
         meet();
         timer_settime(timer, 0, &wanted, nullptr);
         const bool rang = rank != 0 || until([] { return handled == 1; });
         meet();
         timer_delete(timer);
         return is_own(rang && handled == (rank == 0 ? 1 : 0));
     }},
    {"setjmp and longjmp",
     [] {
         jmp_buf place;
         volatile int turns = 0;
         if (setjmp(place) < 3) {
             meet();
             turns = turns + 1;
             longjmp(place, turns);
         }
         return is_own(turns == 3);
     }},
    {"makecontext and swapcontext",
     [] {
         static char stack[1 << 16];
         visited = 0;
         getcontext(&other_context);
         other_context.uc_stack = {stack, 0, sizeof stack};
         other_context.uc_link = &main_context;
         makecontext(
             &other_context, [] { visited = rank + 1; }, 0);
         meet();
         swapcontext(&main_context, &other_context);
         meet();
         return is_own(visited == rank + 1);
     }},
    {"pthread_create",
     [] {
         static int of_thread = 0;
         pthread_t thread{};
         pthread_create(
             &thread, nullptr,
             [](void *) -> void * {
                 of_thread = rank + 1;
                 return nullptr;
             },
             nullptr);
         pthread_join(thread, nullptr);
         meet();
         return is_own(of_thread == rank + 1);
     }},
    {"pthread_key_create",
     [] {
         pthread_key_t key{};
         const bool made = pthread_key_create(&key, nullptr) == 0;
         pthread_setspecific(key, &rank);
         meet();
         const bool holds = pthread_getspecific(key) == &rank;
         meet();
         pthread_key_delete(key);
         return is_own(made && holds);
     }},
    {"pthread_setcancelstate",
     [] {
         int before = 0;
         int found = 0;
         const int wanted = rank % 2 != 0 ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
         pthread_setcancelstate(wanted, &before);
         meet();
         pthread_setcancelstate(before, &found);
         return is_own(found == wanted);
     }},
    {"pthread_setattr_default_np",
     [] {
         pthread_attr_t wanted;
         pthread_attr_init(&wanted);
         const int error = pthread_setattr_default_np(&wanted);
         errno = error;
         return of_call(error != 0 ? -1 : 0);
     }},
    {"pthread_once",
     [] {
         static pthread_once_t once = PTHREAD_ONCE_INIT;
         static int times = 0;
         pthread_once(&once, [] { ++times; });
         return is_own(times == 1);
     }},
};

} // namespace rows
