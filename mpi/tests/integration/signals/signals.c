// SPDX-License-Identifier: Apache-2.0
// Signals of ranks, a case for each word on the command line. Each rank prints what it saw, which is the same
// for ranks of every kind.
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static volatile sig_atomic_t count, depth, deepest, seen_code, seen_value, in_stack;
static volatile int sum;
static sigjmp_buf jump;
static char *own_stack;
enum { stack_size = 1 << 16 };

static void say(const char *what, long value) {
    printf("rank %d: %s %ld\n", rank, what, value);
}

static void set(int number, void (*handler)(int, siginfo_t *, void *), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | flags;
    if (sigaction(number, &action, NULL) != 0) {
        perror("sigaction");
        exit(3);
    }
}

static sigset_t set_of(int number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
}

static void on_count(int number, siginfo_t *information, void *context) {
    (void)context;
    errno = 1;
    char here;
    in_stack = own_stack != NULL && &here >= own_stack && &here < own_stack + stack_size;
    seen_code = information->si_code;
    seen_value = information->si_value.sival_int;
    ++count;
    if (number != information->si_signo) {
        _exit(4);
    }
}

// Another handler may interrupt it, or run on another thread meanwhile.
static void on_sum(int number, siginfo_t *information, void *context) {
    (void)number, (void)context;
    __atomic_fetch_add(&sum, information->si_value.sival_int, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
}

static void on_nested(int number, siginfo_t *information, void *context) {
    (void)information, (void)context;
    ++depth;
    deepest = depth > deepest ? depth : deepest;
    if (count++ < 3) {
        raise(number);
    }
    --depth;
}

static void on_jump(int number, siginfo_t *information, void *context) {
    (void)information;
    on_count(number, information, context);
    siglongjmp(jump, 1);
}

// A signal that a rank raises comes before the call returns, as often as the rank raises it.
static void handlers(void) {
    set(SIGUSR1, on_count, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i <= rank; ++i) {
        raise(SIGUSR1);
        MPI_Barrier(MPI_COMM_SELF);
    }
    say("raised", count);
    kill(getpid(), SIGUSR1);
    say("killed", count);
    pthread_kill(pthread_self(), SIGUSR1);
    say("thread", count);
    union sigval value = {.sival_int = 70 + rank};
    sigqueue(getpid(), SIGUSR1, value);
    say("queued", seen_value);
    say("code", seen_code == SI_QUEUE);
    MPI_Barrier(MPI_COMM_WORLD);
    say("all", count);
    struct sigaction before;
    signal(SIGUSR1, SIG_IGN);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &before);
    say("ignored", count + (before.sa_handler == SIG_IGN ? 100 : 0));
}

static void flags(void) {
    set(SIGUSR1, on_nested, SA_NODEFER);
    raise(SIGUSR1);
    say("deep", deepest);
    count = depth = deepest = 0;
    set(SIGUSR1, on_nested, 0);
    raise(SIGUSR1);
    say("flat", deepest * 100 + count);
    struct sigaction now;
    set(SIGUSR2, on_count, (int)SA_RESETHAND);
    count = 0;
    raise(SIGUSR2);
    sigaction(SIGUSR2, NULL, &now);
    say("reset", now.sa_handler == SIG_DFL ? count : -1);
    stack_t stack = {.ss_sp = own_stack = malloc(stack_size), .ss_size = stack_size};
    sigaltstack(&stack, NULL);
    set(SIGUSR2, on_count, 0);
    raise(SIGUSR2);
    say("usual stack", in_stack);
    set(SIGUSR2, on_count, SA_ONSTACK);
    raise(SIGUSR2);
    say("own stack", in_stack);
    // What jumps out of a handler unblocks what the handler blocked.
    set(SIGUSR2, on_jump, rank % 2 != 0 ? SA_ONSTACK : 0);
    count = 0;
    for (volatile int i = 0; i < 100; ++i) {
        if (sigsetjmp(jump, 1) == 0) {
            raise(SIGUSR2);
        }
    }
    say("jumps", count);
    errno = 0;
    set(SIGUSR2, on_count, 0);
    double before = 0.1 * rank, after = before;
    raise(SIGUSR2);
    say("registers", before == after);
}

static volatile int bottomless = 1;
static int overflow(volatile char *above) {
    volatile char room[1 << 12];
    room[0] = above != NULL ? above[0] : 0;
    return bottomless != 0 ? overflow(room) + room[0] : 0;
}

// Ranks of even numbers meet faults, the others compute and exchange messages.
static void fault(void) {
    stack_t stack = {.ss_sp = own_stack = malloc(stack_size), .ss_size = stack_size};
    sigaltstack(&stack, NULL);
    set(SIGSEGV, on_jump, rank % 4 == 0 ? SA_ONSTACK : 0);
    set(SIGFPE, on_jump, 0);
    set(SIGILL, on_jump, SA_NODEFER);
    set(SIGTRAP, on_count, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    int *volatile nowhere = NULL;
    volatile int zero = 0;
    for (volatile int i = 0; i < 300; ++i) {
        if (rank % 2 == 0 && sigsetjmp(jump, 1) == 0) {
            if (i % 3 == 0) {
                *nowhere = 1;
            } else if (i % 3 == 1) {
                zero = 7 / zero;
            } else {
                __builtin_trap();
            }
        }
        int out = 0, in = i;
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (out != size * i) {
            say("wrong sum", out);
        }
    }
    say("faults", count);
#if defined(__x86_64__)
    __asm__ volatile("int3");
#else
    raise(SIGTRAP);
#endif
    say("trap", count);
    if (rank % 4 == 0 && sigsetjmp(jump, 1) == 0) {
        say("never", overflow(NULL));
    }
    say("stack", in_stack);
}

static void on_thread(union sigval value) {
    __atomic_add_fetch(&sum, value.sival_int, __ATOMIC_SEQ_CST);
}

static void timers(void) {
    set(SIGALRM, on_count, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    struct itimerval often = {{0, 2000}, {0, 2000}}, off = {{0, 0}, {0, 0}}, left;
    if (rank != 0) { // the first rank has no timer, and gets no signal
        setitimer(ITIMER_REAL, &often, NULL);
        while (count < 5 * rank) {
            pause();
        }
        setitimer(ITIMER_REAL, &off, &left);
        say("left", left.it_interval.tv_usec);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    say("ticks", rank != 0 ? count >= 5 * rank : count);
    count = 0;
    struct timespec long_time = {100, 0};
    if (rank != 0) {
        alarm(1);
        say("interrupted",
            nanosleep(&long_time, &long_time) == -1 && errno == EINTR && long_time.tv_sec > 50);
    }
    say("alarm", count);
    // Two timers with values.
    set(SIGRTMIN + 1, on_sum, 0);
    timer_t first, second, third;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    struct itimerspec soon = {{0, 0}, {0, 3000000}};
    event.sigev_value.sival_int = 1 + rank;
    timer_create(CLOCK_MONOTONIC, &event, &first);
    event.sigev_value.sival_int = 10;
    timer_create(CLOCK_REALTIME, &event, &second);
    count = 0;
    timer_settime(first, 0, &soon, NULL);
    timer_settime(second, 0, &soon, NULL);
    while (count != 2) {
        usleep(1000);
    }
    say("values", sum);
    timer_delete(first);
    timer_delete(second);
    sum = 0;
    struct sigevent call = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_thread};
    call.sigev_value.sival_int = 3 + rank;
    timer_create(CLOCK_MONOTONIC, &call, &third);
    timer_settime(third, 0, &soon, NULL);
    while (__atomic_load_n(&sum, __ATOMIC_SEQ_CST) == 0) {
        usleep(1000);
    }
    say("called", sum);
    timer_delete(third);
    // Processor time.
    set(SIGPROF, on_count, SA_RESTART);
    count = 0;
    setitimer(ITIMER_PROF, &often, NULL);
    for (volatile unsigned long i = 0; count < 3; ++i) {
    }
    setitimer(ITIMER_PROF, &off, NULL);
    say("profile", count >= 3);
}

static void masks(void) {
    sigset_t one = set_of(SIGUSR1), before, waiting;
    set(SIGUSR1, on_count, 0);
    pthread_sigmask(SIG_BLOCK, &one, &before);
    say("was blocked", sigismember(&before, SIGUSR1));
    raise(SIGUSR1);
    raise(SIGUSR1);
    MPI_Barrier(MPI_COMM_WORLD);
    sigpending(&waiting);
    say("waits", sigismember(&waiting, SIGUSR1) * 10 + count);
    if (rank % 2 == 0) {
        sigprocmask(SIG_UNBLOCK, &one, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    say("came", count);
    sigemptyset(&before);
    if (rank % 2 != 0) {
        say("suspended", sigsuspend(&before) == -1 && errno == EINTR);
    }
    say("came", count);
}

static void waits(void) {
    sigset_t set_waited = set_of(SIGUSR1), pending;
    sigaddset(&set_waited, SIGRTMIN + 2);
    sigprocmask(SIG_BLOCK, &set_waited, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    struct timespec short_time = {0, 2000000};
    say("nothing", sigtimedwait(&set_waited, NULL, &short_time) == -1 && errno == EAGAIN);
    for (int i = 0; i < 5; ++i) {
        union sigval value = {.sival_int = 100 * rank + i};
        sigqueue(getpid(), SIGRTMIN + 2, value);
    }
    raise(SIGUSR1);
    int number = 0;
    sigwait(&set_waited, &number);
    say("standard first", number == SIGUSR1);
    for (int i = 0; i < 5; ++i) {
        siginfo_t information;
        sigwaitinfo(&set_waited, &information);
        say("queue", information.si_value.sival_int);
    }
    sigpending(&pending);
    say("empty", sigismember(&pending, SIGRTMIN + 2));
    const int file = signalfd(-1, &set_waited, SFD_NONBLOCK | SFD_CLOEXEC);
    struct signalfd_siginfo record;
    say("none", read(file, &record, sizeof record) == -1 && errno == EAGAIN);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i != 3; ++i) {
        union sigval value = {.sival_int = 1000 * rank + i};
        sigqueue(getpid(), SIGRTMIN + 2, value);
    }
    for (int i = 0; i != 3; ++i) {
        if (read(file, &record, sizeof record) == (ssize_t)sizeof record) {
            say("record", record.ssi_int);
        }
    }
    close(file);
    // A thread waits, the signal comes while it does.
    alarm(1);
    sigset_t bell = set_of(SIGALRM);
    sigprocmask(SIG_BLOCK, &bell, NULL);
    sigwait(&bell, &number);
    say("alarm", number == SIGALRM);
}

static pthread_t main_thread;
static volatile int other_ran;
static void *take(void *argument) {
    const sigset_t *const set_taken = argument;
    for (int i = 0; i < 3; ++i) {
        int number = 0;
        sigwait(set_taken, &number);
        sum += number == SIGUSR1;
        pthread_kill(main_thread, SIGUSR2);
    }
    while (count < 4) { // a signal to this thread runs its handler here
        usleep(500);
    }
    other_ran = depth;
    return NULL;
}
static void on_other(int number, siginfo_t *information, void *context) {
    (void)number, (void)information, (void)context;
    depth = pthread_equal(pthread_self(), main_thread) ? -1 : 1;
    ++count;
}

// A thread that takes all signals of its rank, and signals to the one thread and the other.
static void threads(void) {
    sigset_t both = set_of(SIGUSR1);
    pthread_t taker;
    main_thread = pthread_self();
    set(SIGUSR2, on_count, 0);
    pthread_sigmask(SIG_BLOCK, &both, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (pthread_create(&taker, NULL, take, &both) != 0) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        kill(getpid(), SIGUSR1);
        while (count <= i) {
            usleep(500);
        }
    }
    say("taken", sum);
    set(SIGUSR2, on_other, 0);
    pthread_kill(taker, SIGUSR2);
    pthread_join(taker, NULL);
    say("on the other", other_ran);
}

// The old way to limit a call's time: to jump out of it.
static void limits(void) {
    int ends[2];
    char byte = 0;
    if (pipe(ends) != 0) {
        return;
    }
    set(SIGALRM, on_jump, 0);
    struct itimerval soon = {{0, 0}, {0, 1000 + 500 * rank}}, off = {{0, 0}, {0, 0}};
    for (volatile int i = 0; i < 60; ++i) {
        if (sigsetjmp(jump, 1) == 0) {
            setitimer(ITIMER_REAL, &soon, NULL);
            if (i % 3 == 0) {
                sleep(100);
            } else if (i % 3 == 1) {
                pause();
            } else if (read(ends[0], &byte, 1) != -2) {
                say("never", i);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    setitimer(ITIMER_REAL, &off, NULL);
    say("limited", count);
}

static void calls(void) {
    int ends[2];
    char byte = 0;
    if (pipe(ends) != 0) {
        return;
    }
    set(SIGALRM, on_count, 0);
    struct itimerval soon = {{0, 0}, {0, 20000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    say("read", read(ends[0], &byte, 1) == -1 && errno == EINTR);
    set(SIGALRM, on_count, SA_RESTART);
    setitimer(ITIMER_REAL, &soon, NULL);
    pid_t child = fork();
    if (child == 0) {
        usleep(200000);
        _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    const long got = read(ends[0], &byte, 1);
    say("restarted", got == 1 && count == 2);
    waitpid(child, NULL, 0);
}

static void children(void) {
    set(SIGCHLD, on_count, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    pid_t pids[8];
    for (int i = 0; i < 2 * rank; ++i) {
        if ((pids[i] = fork()) == 0) {
            // The child is a process as others: it has its parent's handlers and its own counters.
            set(SIGUSR1, on_count, 0);
            count = 0;
            kill(getpid(), SIGUSR1);
            _exit(count == 1 ? i : 99);
        }
    }
    int sum_of_codes = 0;
    for (int i = 0; i < 2 * rank; ++i) {
        int status = 0;
        while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR) {
        }
        sum_of_codes += WEXITSTATUS(status);
    }
    while (rank != 0 && count == 0) {
        usleep(1000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    say("codes", sum_of_codes);
    say("told", rank == 0 ? count : count >= 1 && count <= 2 * rank);
}

static pthread_t first;
static void *send_many(void *argument) {
    (void)argument;
    for (int i = 1; i <= 500; ++i) {
        union sigval value = {.sival_int = i};
        while (pthread_sigqueue(first, SIGRTMIN + 3, value) == EAGAIN) {
            usleep(1000);
        }
        kill(getpid(), SIGUSR1);
    }
    return NULL;
}

static void stress(void) {
    set(SIGRTMIN + 3, on_sum, SA_RESTART);
    set(SIGUSR1, on_sum, SA_RESTART);
    set(SIGALRM, on_sum, SA_RESTART);
    first = pthread_self();
    pthread_t sender;
    struct itimerval often = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (pthread_create(&sender, NULL, send_many, NULL) != 0) {
        return;
    }
    const int expected = 500 * 501 / 2;
    for (int done = 0, i = 0; !done; ++i) {
        int mine = sum >= expected, out = 0, index = i;
        MPI_Allreduce(&mine, &done, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        MPI_Sendrecv(&index, 1, MPI_INT, (rank + 1) % size, 1, &out, 1, MPI_INT, (rank + size - 1) % size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (out != i) {
            say("wrong message", out);
        }
        usleep(100);
    }
    setitimer(ITIMER_REAL, &off, NULL);
    pthread_join(sender, NULL);
    say("sum", sum);
}

// Waits for a signal that somebody sends to the whole job.
static void outside(void) {
    set(SIGUSR1, on_count, 0);
    sigset_t one = set_of(SIGUSR1), none;
    sigprocmask(SIG_BLOCK, &one, &none);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        puts("ready");
        fflush(stdout);
    }
    while (count == 0) {
        sigsuspend(&none);
    }
    say("came", count);
    say("from outside", seen_code == SI_USER);
}

static void aborts(void) {
    set(SIGABRT, on_jump, 0);
    if (sigsetjmp(jump, 1) == 0) {
        abort();
    }
    say("went on", count);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
        set(SIGABRT, on_count, 0);
        abort();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// Every rank has a handler but the last: for that one the job ends.
static void by_default(void) {
    if (rank != size - 1) {
        set(SIGUSR2, on_count, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
        kill(getpid(), SIGUSR2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void refused(void) {
    struct sigaction ignore;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    say("refused", sigaction(SIGCHLD, &ignore, NULL) == -1 && errno == ENOTSUP);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"handlers", handlers}, {"flags", flags},        {"fault", fault},    {"timers", timers},
                 {"masks", masks},       {"waits", waits},        {"calls", calls},    {"children", children},
                 {"threads", threads},   {"limits", limits},      {"stress", stress},  {"outside", outside},
                 {"aborts", aborts},     {"default", by_default}, {"refused", refused}};
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (unsigned i = 0; i != sizeof cases / sizeof *cases; ++i) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
        }
    }
    MPI_Finalize();
    return 0;
}
