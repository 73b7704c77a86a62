// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <mpi.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <elf.h>
#include <fcntl.h>
#include <grp.h>
#include <malloc.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace rows {

namespace {

/// Whether no two ranks have the same value.
bool all_differ(int value) {
    std::vector<int> all(static_cast<std::size_t>(size));
    MPI_Allgather(&value, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    int found = 0;
    for (const int each : all) {
        found += each == value ? 1 : 0;
    }
    return found == 1;
}

bool all_equal(int value) {
    int least = 0;
    int most = 0;
    MPI_Allreduce(&value, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return least == most;
}

void compute() {
    volatile double sum = 0;
    timespec begin{};
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        for (int i = 0; i != 100000; ++i) {
            sum = sum + i;
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1'000'000 < 60);
}

/// One rank computes for 60 ms of its processor: its clock shows that, and the others' do not. @param used in
/// seconds
template <class Used> outcome count_time(Used used) {
    meet();
    const double before = used();
    if (rank == 0) {
        compute();
    }
    meet();
    const double passed = used() - before;
    return is_own(rank == 0 ? passed > 0.035 : passed < 0.035);
}

double seconds(const timeval &time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}
double seconds_used(__rusage_who_t who) {
    rusage used{};
    getrusage(who, &used);
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}
double seconds_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

cpu_set_t processor(int number) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(number, &one);
    return one;
}

/// The processors that some rank may use.
std::vector<int> usable_processors() {
    cpu_set_t own;
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    cpu_set_t all;
    MPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    std::vector<int> numbers;
    for (int number = 0; number != CPU_SETSIZE; ++number) {
        if (CPU_ISSET(number, &all)) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

/// Each rank binds itself to a processor and reads that back. All but fibers, which stay with their workers,
/// run there, too.
template <class Set, class Get> outcome bind(Set set, Get get) {
    const auto usable = usable_processors();
    cpu_set_t before;
    CPU_ZERO(&before);
    get(&before);
    const int wanted = usable[static_cast<std::size_t>(rank) % usable.size()];
    const cpu_set_t one = processor(wanted);
    set(&one);
    meet();
    cpu_set_t found;
    CPU_ZERO(&found);
    get(&found);
    const bool holds = CPU_EQUAL(&found, &one) && (are_fibers || sched_getcpu() == wanted);
    meet();
    set(&before);
    return is_own(holds);
}

rlimit limit(__rlimit_resource_t which) {
    rlimit now{};
    getrlimit(which, &now);
    return now;
}

} // namespace

const std::vector<row> of_process{
    {"getpid", [] { return is_own(all_differ(getpid()) && kill(getpid(), 0) == 0); }},
    {"gettid", [] { return is_own(all_differ(gettid()) && gettid() == getpid()); }},
    {"/proc/<getpid()>",
     [] { return is_own(access(("/proc/" + std::to_string(getpid()) + "/stat").c_str(), R_OK) == 0); }},
    {"getppid", [] { return all_equal(getppid()) ? outcome::shared : outcome::own; }},
    {"getpgrp", [] { return all_equal(getpgrp()) ? outcome::shared : outcome::own; }},
    {"getsid", [] { return all_equal(getsid(0)) ? outcome::shared : outcome::own; }},
    {"setsid", [] { return attempt([] { return static_cast<long>(setsid()); }); }},
    {"setpgid", [] { return attempt([] { return static_cast<long>(setpgid(0, 0)); }); }},
    {"setpgrp", [] { return attempt([] { return static_cast<long>(setpgrp()); }); }},
    {"daemon", [] { return attempt([] { return static_cast<long>(daemon(1, 1)); }); }},
    {"sched_setaffinity",
     [] {
         return bind([](const cpu_set_t *set) { sched_setaffinity(getpid(), sizeof *set, set); },
                     [](cpu_set_t *set) { sched_getaffinity(0, sizeof *set, set); });
     }},
    {"pthread_setaffinity_np",
     [] {
         return bind([](const cpu_set_t *set) { pthread_setaffinity_np(pthread_self(), sizeof *set, set); },
                     [](cpu_set_t *set) { pthread_getaffinity_np(pthread_self(), sizeof *set, set); });
     }},
    {"sched_setscheduler",
     [] {
         const sched_param none{};
         const int wanted = rank % 2 != 0 ? SCHED_BATCH : SCHED_OTHER;
         sched_setscheduler(0, wanted, &none);
         meet();
         const bool holds = sched_getscheduler(getpid()) == wanted;
         meet();
         sched_setscheduler(0, SCHED_OTHER, &none);
         return is_own(holds);
     }},
    {"pthread_setschedparam",
     [] {
         const sched_param none{};
         const int wanted = rank % 2 != 0 ? SCHED_BATCH : SCHED_OTHER;
         pthread_setschedparam(pthread_self(), wanted, &none);
         meet();
         int found = -1;
         sched_param parameter{};
         pthread_getschedparam(pthread_self(), &found, &parameter);
         meet();
         pthread_setschedparam(pthread_self(), SCHED_OTHER, &none);
         return is_own(found == wanted);
     }},
    {"nice",
     [] {
         errno = 0;
         const int before = getpriority(PRIO_PROCESS, 0);
         const int result = nice(rank);
         const int error = errno;
         meet();
         const bool holds = getpriority(PRIO_PROCESS, getpid()) == std::min(before + rank, 19);
         errno = error;
         return of_call(result == -1 && error != 0 ? -1 : 0, holds);
     }},
    {"getrusage(RUSAGE_SELF)", [] { return count_time([] { return seconds_used(RUSAGE_SELF); }); }},
    {"getrusage(RUSAGE_THREAD)", [] { return count_time([] { return seconds_used(RUSAGE_THREAD); }); }},
    {"ru_maxrss",
     [] {
         rusage used{};
         getrusage(RUSAGE_SELF, &used);
         meet();
         std::vector<char> large(rank == 0 ? std::size_t{64} << 20 : 1, '1');
         meet();
         rusage after{};
         getrusage(RUSAGE_SELF, &after);
         meet();
         const bool grew = after.ru_maxrss - used.ru_maxrss > 32 << 10 && large[0] == '1';
         int others = rank != 0 && grew ? 1 : 0;
         MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
         return is_own(others == 0);
     }},
    {"times",
     [] {
         return count_time([] {
             tms used{};
             times(&used);
             return static_cast<double>(used.tms_utime + used.tms_stime) /
                    static_cast<double>(sysconf(_SC_CLK_TCK));
         });
     }},
    {"clock", [] { return count_time([] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }); }},
    {"CLOCK_PROCESS_CPUTIME_ID",
     [] { return count_time([] { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }); }},
    {"CLOCK_THREAD_CPUTIME_ID",
     [] { return count_time([] { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }); }},
    {"setrlimit, raised",
     [] {
         rlimit wanted = limit(RLIMIT_NOFILE);
         const rlim_t before = wanted.rlim_cur;
         wanted.rlim_cur = std::min(wanted.rlim_max, before + static_cast<rlim_t>(rank));
         const int result = setrlimit(RLIMIT_NOFILE, &wanted);
         meet();
         return of_call(result, limit(RLIMIT_NOFILE).rlim_cur == wanted.rlim_cur);
     }},
    {"setrlimit, lowered",
     [] {
         return attempt([] {
             rlimit wanted = limit(RLIMIT_NOFILE);
             --wanted.rlim_cur;
             return static_cast<long>(setrlimit(RLIMIT_NOFILE, &wanted));
         });
     }},
    {"setrlimit(RLIMIT_CORE)",
     [] {
         rlimit wanted = limit(RLIMIT_CORE);
         wanted.rlim_cur = 0;
         const int result = setrlimit(RLIMIT_CORE, &wanted);
         meet();
         return of_call(result, limit(RLIMIT_CORE).rlim_cur == 0);
     }},
    {"prctl(PR_SET_NAME)",
     [] {
         prctl(PR_SET_NAME, named("named").c_str());
         meet();
         char found[16];
         prctl(PR_GET_NAME, found);
         meet();
         prctl(PR_SET_NAME, "process_state");
         return is_own(named("named") == found);
     }},
    {"pthread_setname_np",
     [] {
         pthread_setname_np(pthread_self(), named("thread").c_str());
         meet();
         char found[16];
         pthread_getname_np(pthread_self(), found, sizeof found);
         meet();
         pthread_setname_np(pthread_self(), "process_state");
         return is_own(named("thread") == found);
     }},
    {"prctl(PR_SET_PDEATHSIG)",
     [] { return attempt([] { return static_cast<long>(prctl(PR_SET_PDEATHSIG, 0)); }); }},
    {"prctl(PR_SET_DUMPABLE)",
     [] { return attempt([] { return static_cast<long>(prctl(PR_SET_DUMPABLE, 1)); }); }},
    {"prctl(PR_SET_CHILD_SUBREAPER)",
     [] { return attempt([] { return static_cast<long>(prctl(PR_SET_CHILD_SUBREAPER, 0)); }); }},
    {"prctl(PR_SET_TIMERSLACK)",
     [] {
         const unsigned long wanted = 50'000UL + static_cast<unsigned long>(rank);
         const int result = prctl(PR_SET_TIMERSLACK, wanted);
         const int error = errno;
         meet();
         const bool holds = static_cast<unsigned long>(prctl(PR_GET_TIMERSLACK)) == wanted;
         errno = error;
         return of_call(result, holds);
     }},
    {"prctl(PR_SET_NO_NEW_PRIVS)",
     [] { return attempt([] { return static_cast<long>(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)); }); }},
    {"personality",
     [] {
         const auto wanted = static_cast<unsigned long>(PER_LINUX | (rank % 2 != 0 ? ADDR_NO_RANDOMIZE : 0));
         const int before = personality(wanted);
         meet();
         const bool holds = personality(0xffffffff) == static_cast<int>(wanted);
         meet();
         personality(static_cast<unsigned long>(before));
         return is_own(holds);
     }},
    {"setuid", [] { return attempt([] { return static_cast<long>(setuid(getuid() + 1)); }); }},
    {"setuid to the same", [] { return of_call(setuid(getuid()), true); }},
    {"setgid", [] { return attempt([] { return static_cast<long>(setgid(getgid() + 1)); }); }},
    {"seteuid", [] { return attempt([] { return static_cast<long>(seteuid(geteuid() + 1)); }); }},
    {"setegid", [] { return attempt([] { return static_cast<long>(setegid(getegid() + 1)); }); }},
    {"setreuid",
     [] { return attempt([] { return static_cast<long>(setreuid(getuid() + 1, geteuid() + 1)); }); }},
    {"setresuid",
     [] { return attempt([] { return static_cast<long>(setresuid(getuid() + 1, geteuid() + 1, 1)); }); }},
    {"setgroups", [] { return attempt([] { return static_cast<long>(setgroups(0, nullptr)); }); }},
    {"setfsuid",
     [] {
         errno = 0;
         return attempt([] { return static_cast<long>(setfsuid(geteuid() + 1)); });
     }},
    {"unshare", [] { return attempt([] { return static_cast<long>(unshare(CLONE_NEWUTS)); }); }},
    {"setns", [] { return attempt([] { return static_cast<long>(setns(-1, 0)); }); }},
    {"munlockall", [] { return attempt([] { return static_cast<long>(munlockall()); }); }},
    {"mmap, mprotect",
     [] {
         auto *const page = static_cast<int *>(
             mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
         *page = rank;
         meet();
         const bool holds = *page == rank && mprotect(page, 4096, PROT_READ) == 0;
         meet();
         munmap(page, 4096);
         return is_own(holds);
     }},
    {"sbrk",
     [] {
         meet();
         const char *const before = static_cast<char *>(sbrk(0));
         meet();
         if (rank == 0) {
             static_cast<void>(sbrk(4096));
         }
         meet();
         const bool moved = static_cast<char *>(sbrk(0)) != before;
         int others = rank != 0 && moved ? 1 : 0;
         MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
         return is_own(others == 0);
     }},
    {"mallinfo2",
     [] {
         const std::size_t before = mallinfo2().hblkhd;
         meet();
         void *const large = rank == 0 ? std::malloc(std::size_t{64} << 20) : nullptr;
         meet();
         const bool grew = mallinfo2().hblkhd - before >= (std::size_t{64} << 20);
         meet();
         std::free(large);
         int others = rank != 0 && grew ? 1 : 0;
         MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
         return is_own(others == 0);
     }},
    {"getauxval",
     [] {
         const auto *const headers = reinterpret_cast<const Elf64_Phdr *>(getauxval(AT_PHDR));
         bool has_program = false;
         for (unsigned long i = 0; i != getauxval(AT_PHNUM); ++i) {
             has_program |= headers[i].p_type == PT_PHDR || headers[i].p_type == PT_INTERP;
         }
         const char *const name = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
         return is_own(has_program && std::strstr(name, "process_state") != nullptr);
     }},
    {"setenv",
     [] {
         setenv("LISLE_OWN", named("v").c_str(), 1);
         meet();
         return is_own(named("v") == getenv("LISLE_OWN"));
     }},
    {"putenv",
     [] {
         static char entry[40];
         std::snprintf(entry, sizeof entry, "LISLE_PUT=%d", rank);
         putenv(entry);
         meet();
         return is_own(std::to_string(rank) == getenv("LISLE_PUT"));
     }},
    {"environ",
     [] {
         setenv("LISLE_ENVIRON", named("e").c_str(), 1);
         meet();
         bool found = false;
         for (char **each = environ; *each != nullptr; ++each) {
             found |= "LISLE_ENVIRON=" + named("e") == *each;
         }
         return is_own(found);
     }},
    {"program_invocation_name",
     [] { return is_own(std::strcmp(program_invocation_short_name, "process_state") == 0); }},
    {"System V shared memory",
     [] {
         const int key = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
         auto *const memory = static_cast<int *>(shmat(key, nullptr, 0));
         shmctl(key, IPC_RMID, nullptr);
         *memory = rank;
         meet();
         const bool holds = *memory == rank && shmdt(memory) == 0;
         return is_own(holds);
     }},
    {"System V semaphores",
     [] {
         const int key = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
         sembuf up{0, static_cast<short>(rank + 1), 0};
         semop(key, &up, 1);
         meet();
         const bool holds = semctl(key, 0, GETVAL) == rank + 1;
         semctl(key, 0, IPC_RMID);
         return is_own(holds);
     }},
    {"semop(SEM_UNDO)",
     [] {
         const int key = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
         sembuf up{0, 1, SEM_UNDO};
         const int result = semop(key, &up, 1);
         const int error = errno;
         semctl(key, 0, IPC_RMID);
         errno = error;
         return of_call(result);
     }},
    {"System V message queues",
     [] {
         const int key = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
         struct {
             long type;
             int value;
         } message{1, rank};
         msgsnd(key, &message, sizeof message.value, 0);
         meet();
         message.value = -1;
         msgrcv(key, &message, sizeof message.value, 1, IPC_NOWAIT);
         msgctl(key, IPC_RMID, nullptr);
         return is_own(message.value == rank);
     }},
    {"mq_notify",
     [] {
         return attempt([] {
             sigevent event{};
             event.sigev_notify = SIGEV_SIGNAL;
             event.sigev_signo = SIGUSR1;
             return static_cast<long>(mq_notify(-1, &event));
         });
     }},
    {"host name",
     [] {
         utsname about{};
         uname(&about);
         int sum = 0;
         for (const char *each = about.nodename; *each != '\0'; ++each) {
             sum = sum * 31 + *each;
         }
         return all_equal(sum) ? outcome::shared : outcome::own;
     }},
};

} // namespace rows
