// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <mpi.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <mntent.h>
#include <set>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace rows {

namespace {

std::string own_folder() {
    const std::string made = folder + "/" + named("folder");
    mkdir(made.c_str(), 0700);
    return made;
}

std::string here() {
    char text[PATH_MAX];
    return getcwd(text, sizeof text) != nullptr ? text : "";
}

struct file {
    explicit file(const std::string &name, int flags = O_RDWR | O_CREAT)
        : descriptor(open((folder + "/" + name).c_str(), flags | O_CLOEXEC, 0600)) {}
    ~file() { close(descriptor); }
    const int descriptor;
};

struct flock range(short type) {
    struct flock made {};
    made.l_type = type;
    made.l_whence = SEEK_SET;
    made.l_len = 10;
    return made;
}

/// The first rank holds a lock: the others must be kept out. `lock` returns 0 if it was granted.
template <class Lock> outcome exclude(const char *name, Lock lock) {
    const file shared(name);
    const bool granted = rank != 0 || lock(shared.descriptor) == 0;
    meet();
    const bool kept_out = rank == 0 || lock(shared.descriptor) != 0;
    meet();
    return is_own(granted && kept_out);
}

/// All ranks take turns by a lock that waits: adding to a number in a file loses nothing.
template <class Lock, class Unlock> outcome count_with(const char *name, Lock lock, Unlock unlock) {
    const file shared(name);
    meet();
    for (int i = 0; i != 20; ++i) {
        int number = 0;
        lock(shared.descriptor);
        static_cast<void>(!pread(shared.descriptor, &number, sizeof number, 0));
        usleep(10);
        ++number;
        static_cast<void>(!pwrite(shared.descriptor, &number, sizeof number, 0));
        unlock(shared.descriptor);
    }
    meet();
    int number = 0;
    return is_own(pread(shared.descriptor, &number, sizeof number, 0) == sizeof number &&
                  number == 20 * size);
}

std::string content(const char *path) {
    std::string all;
    if (std::FILE *const opened = std::fopen(path, "r")) {
        for (int character; (character = std::getc(opened)) != EOF;) {
            all.push_back(static_cast<char>(character));
        }
        std::fclose(opened);
    }
    return all;
}

} // namespace

const std::vector<row> of_files{
    {"chdir",
     [] {
         const std::string wanted = own_folder();
         const int result = chdir(wanted.c_str());
         meet();
         const bool holds = here() == wanted;
         meet();
         return of_call(result, holds && chdir("/") == 0);
     }},
    {"fchdir",
     [] {
         const int wanted = open(own_folder().c_str(), O_RDONLY | O_DIRECTORY);
         const int result = fchdir(wanted);
         meet();
         const bool holds = here() == own_folder();
         meet();
         close(wanted);
         return of_call(result, holds && chdir("/") == 0);
     }},
    {"relative paths",
     [] {
         const int result = chdir(own_folder().c_str());
         meet();
         std::FILE *const made = std::fopen("relative", "w");
         meet();
         const bool holds = made != nullptr && access((own_folder() + "/relative").c_str(), F_OK) == 0;
         std::fclose(made);
         meet();
         return of_call(result, holds && chdir("/") == 0);
     }},
    {"umask",
     [] {
         const mode_t before = umask(static_cast<mode_t>(rank));
         meet();
         const file made(named("masked"), O_RDWR | O_CREAT);
         const int other = creat((folder + "/" + named("mode")).c_str(), 0777);
         struct stat about {};
         fstat(other, &about);
         close(other);
         meet();
         return is_own((about.st_mode & 0777) == (0777u & ~static_cast<mode_t>(rank)) &&
                       umask(before) == static_cast<mode_t>(rank) && before == 022);
     }},
    {"chroot", [] { return attempt([] { return static_cast<long>(chroot("/")); }); }},
    {"mkstemp",
     [] {
         std::string name = folder + "/XXXXXX";
         const int made = mkstemp(name.data());
         meet();
         const bool holds = made >= 0 && write(made, &rank, sizeof rank) == sizeof rank;
         close(made);
         return is_own(holds);
     }},
    {"tmpfile",
     [] {
         std::FILE *const made = std::tmpfile();
         std::fprintf(made, "%d", rank);
         meet();
         std::rewind(made);
         int found = -1;
         const bool holds = std::fscanf(made, "%d", &found) == 1 && found == rank;
         std::fclose(made);
         return is_own(holds);
     }},
    {"position and ungetc of a stream",
     [] {
         std::FILE *const opened = std::fopen("/proc/cpuinfo", "r");
         std::fseek(opened, rank, SEEK_SET);
         std::ungetc('A' + rank, opened);
         meet();
         const bool holds = std::getc(opened) == 'A' + rank && std::ftell(opened) == rank;
         std::fclose(opened);
         return is_own(holds);
     }},
    {"setvbuf(stdout)",
     [] {
         static char buffer[2000];
         const bool holds = std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer) == 0;
         meet();
         std::fflush(stdout);
         return is_own(holds);
     }},
    {"freopen(stdout)",
     [] {
         const int console = dup(STDOUT_FILENO);
         std::fflush(stdout);
         const std::string name = folder + "/" + named("out");
         const bool opened = std::freopen(name.c_str(), "w", stdout) != nullptr;
         meet();
         std::printf("%d", rank);
         std::fflush(stdout);
         meet();
         const std::string found = content(name.c_str());
         const std::string back = "/proc/self/fd/" + std::to_string(console);
         const bool reopened = std::freopen(back.c_str(), "a", stdout) != nullptr;
         meet();
         close(console);
         return is_own(opened && reopened && found == std::to_string(rank));
     }},
    {"fcloseall", [] { return attempt([] { return static_cast<long>(fcloseall()); }); }},
    {"numbers of descriptors",
     [] {
         meet();
         const int first = open("/dev/null", O_RDONLY);
         meet();
         int least = 0;
         MPI_Allreduce(&first, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
         int most = 0;
         MPI_Allreduce(&first, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
         close(first);
         return is_own(most - least < 2);
     }},
    {"dup2 onto a standard descriptor",
     [] { return attempt([] { return static_cast<long>(dup2(STDERR_FILENO, STDIN_FILENO)); }); }},
    {"close of a standard descriptor",
     [] { return attempt([] { return static_cast<long>(close(STDIN_FILENO)); }); }},
    {"close_range", [] { return attempt([] { return static_cast<long>(close_range(1000, ~0U, 0)); }); }},
    {"O_CLOEXEC",
     [] {
         const file made("cloexec");
         return is_own((fcntl(made.descriptor, F_GETFD) & FD_CLOEXEC) != 0);
     }},
    {"fcntl(F_SETLK)",
     [] {
         return exclude("setlk", [](int where) {
             struct flock wanted = range(F_WRLCK);
             return fcntl(where, F_SETLK, &wanted);
         });
     }},
    {"fcntl(F_GETLK)",
     [] {
         return exclude("getlk", [](int where) {
             struct flock wanted = range(F_WRLCK);
             if (rank == 0) {
                 return fcntl(where, F_SETLK, &wanted);
             }
             return fcntl(where, F_GETLK, &wanted) == 0 && wanted.l_type == F_WRLCK ? -1 : 0;
         });
     }},
    {"fcntl(F_SETLKW)",
     [] {
         return count_with(
             "setlkw",
             [](int where) {
                 struct flock wanted = range(F_WRLCK);
                 fcntl(where, F_SETLKW, &wanted);
             },
             [](int where) {
                 struct flock wanted = range(F_UNLCK);
                 fcntl(where, F_SETLK, &wanted);
             });
     }},
    {"fcntl locks by two descriptors",
     [] {
         const file one(named("two"));
         const file other(named("two"));
         struct flock wanted = range(F_WRLCK);
         const bool holds =
             fcntl(one.descriptor, F_SETLK, &wanted) == 0 && fcntl(other.descriptor, F_SETLK, &wanted) == 0;
         return is_own(holds);
     }},
    {"fcntl locks end with close",
     [] {
         for (int turn = 0; turn != size; ++turn) {
             if (turn == rank) {
                 const file shared("closed");
                 struct flock wanted = range(F_WRLCK);
                 if (fcntl(shared.descriptor, F_SETLK, &wanted) != 0) {
                     return outcome::shared;
                 }
             }
             meet();
         }
         return outcome::own;
     }},
    {"lockf", [] { return exclude("lockf", [](int where) { return lockf(where, F_TLOCK, 10); }); }},
    {"flock", [] { return exclude("flock", [](int where) { return flock(where, LOCK_EX | LOCK_NB); }); }},
    {"flock that waits",
     [] {
         return count_with(
             "flockw", [](int where) { flock(where, LOCK_EX); }, [](int where) { flock(where, LOCK_UN); });
     }},
    {"fcntl(F_SETOWN)",
     [] {
         int ends[2];
         static_cast<void>(!pipe2(ends, O_CLOEXEC));
         const int result = fcntl(ends[0], F_SETOWN, getpid());
         const int error = errno;
         close(ends[0]);
         close(ends[1]);
         errno = error;
         return of_call(result);
     }},
    {"readdir",
     [] {
         DIR *const opened = opendir("/");
         const dirent *const first = readdir(opened);
         const std::string name = first->d_name;
         meet();
         const bool holds = name == first->d_name;
         closedir(opened);
         return is_own(holds);
     }},
    {"getmntent",
     [] {
         std::FILE *const table = setmntent("/proc/self/mounts", "r");
         const mntent *entry = nullptr;
         for (int i = 0; i <= rank; ++i) {
             entry = getmntent(table);
         }
         const std::string where = entry->mnt_dir;
         meet();
         const bool holds = where == entry->mnt_dir;
         endmntent(table);
         return is_own(holds);
     }},
    {"ptsname",
     [] {
         const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
         const char *const name = terminal >= 0 ? ptsname(terminal) : nullptr;
         const std::string first = name != nullptr ? name : "";
         meet();
         const bool holds = name == nullptr || first == name;
         meet();
         close(terminal);
         return is_own(holds);
     }},
    {"pipe",
     [] {
         int ends[2];
         static_cast<void>(!pipe2(ends, O_CLOEXEC));
         int found = -1;
         meet();
         const bool holds = write(ends[1], &rank, sizeof rank) == sizeof rank &&
                            read(ends[0], &found, sizeof found) == sizeof found && found == rank;
         close(ends[0]);
         close(ends[1]);
         return is_own(holds);
     }},
    {"eventfd and epoll",
     [] {
         const int event = eventfd(0, EFD_CLOEXEC);
         const int set = epoll_create1(EPOLL_CLOEXEC);
         epoll_event asked{};
         asked.events = EPOLLIN;
         asked.data.fd = event;
         epoll_ctl(set, EPOLL_CTL_ADD, event, &asked);
         meet();
         const bool silent = epoll_wait(set, &asked, 1, 0) == 0;
         meet();
         eventfd_write(event, static_cast<eventfd_t>(rank) + 1);
         eventfd_t found = 0;
         const bool holds = silent && epoll_wait(set, &asked, 1, 1000) == 1 && asked.data.fd == event &&
                            eventfd_read(event, &found) == 0 && found == static_cast<eventfd_t>(rank) + 1;
         meet();
         close(set);
         close(event);
         return is_own(holds);
     }},
    {"inotify",
     [] {
         const int watcher = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
         inotify_add_watch(watcher, own_folder().c_str(), IN_CREATE);
         meet();
         const int made = creat((own_folder() + "/" + named("seen")).c_str(), 0600);
         close(made);
         alignas(inotify_event) char text[1024];
         const bool seen = read(watcher, text, sizeof text) > 0;
         meet();
         close(watcher);
         return is_own(seen);
     }},
    {"timerfd",
     [] {
         const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
         itimerspec wanted{};
         wanted.it_value.tv_nsec = rank == 0 ? 1'000'000 : 0; // only the first rank's runs
         timerfd_settime(timer, 0, &wanted, nullptr);
         std::uint64_t times = 0;
         const bool rang = rank != 0 || read(timer, &times, sizeof times) == sizeof times;
         meet();
         itimerspec left{};
         timerfd_gettime(timer, &left);
         close(timer);
         return is_own(rang && left.it_value.tv_nsec == 0);
     }},
    {"/proc/self/exe",
     [] {
         char path[PATH_MAX];
         const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
         const std::string program(path, length > 0 ? static_cast<std::size_t>(length) : 0);
         struct stat by_link {};
         struct stat by_name {};
         stat("/proc/self/exe", &by_link);
         stat(program.c_str(), &by_name);
         struct stat opened {};
         const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
         fstat(file, &opened);
         close(file);
         return is_own(program.find("process_state") != std::string::npos &&
                       by_link.st_ino == by_name.st_ino && opened.st_ino == by_name.st_ino);
     }},
    {"/proc/self/cmdline",
     [] {
         return is_own(content("/proc/self/cmdline").find("process_state\0files", 0, 19) !=
                       std::string::npos);
     }},
    {"/proc/self/environ",
     [] { return is_own(content("/proc/self/environ").find("PATH=") != std::string::npos); }},
    {"/proc/self/comm", [] { return is_own(content("/proc/self/comm").compare(0, 7, "process") == 0); }},
    {"/proc/self/maps",
     [] {
         const std::string all = content("/proc/self/maps");
         std::size_t images = 0;
         for (std::size_t at = all.find("r-xp"); at != std::string::npos; at = all.find("r-xp", at + 1)) {
             images += all.find("process_state", at) < all.find('\n', at) ? 1 : 0;
         }
         return is_own(images == 1);
     }},
};

} // namespace rows
