// SPDX-License-Identifier: Apache-2.0
// Locks of files. Those of fcntl and lockf belong to a process, so ranks of one would never meet each
// other's. A rank's are locks of an open file instead, which exclude all other ranks and processes. All that
// a rank locks in one file it locks through the descriptor with which it began, so that its own never stand
// in its way. Other fibers run while one waits.
#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/waiting/asking.hpp"

#include <cstdarg>
#include <cstdint>
#include <fcntl.h>
#include <mutex>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace lisle::host {

namespace {

const real<"fcntl", int(int, int, std::uintptr_t)> real_control;
const real<"flock", int(int, int)> real_flock;
const real<"lockf", int(int, int, off_t)> real_lockf;

/// The descriptors through which a rank locks, each for one file.
class lock_holders {
  public:
    /// The descriptor for locks in this one's file.
    int for_file_of(int descriptor) {
        struct stat wanted {};
        if (fstat(descriptor, &wanted) != 0) {
            return descriptor;
        }
        const std::scoped_lock lock(mutex_);
        std::erase_if(files_, [](const holder &each) { return !each.is_open(); });
        for (const holder &each : files_) {
            if (each.device == wanted.st_dev && each.file == wanted.st_ino) {
                return each.descriptor;
            }
        }
        files_.push_back({wanted.st_dev, wanted.st_ino, descriptor});
        return descriptor;
    }

  private:
    struct holder {
        dev_t device;
        ino_t file;
        int descriptor;
        /// Closing it has ended its locks.
        [[nodiscard]] bool is_open() const {
            struct stat now {};
            return fstat(descriptor, &now) == 0 && now.st_dev == device && now.st_ino == file;
        }
    };
    std::mutex mutex_; ///< protects the list
    std::vector<holder> files_;
};
const rank_slot<lock_holders> rank_locks;

/// What a position relative to the descriptor's own is from the file's beginning: the holder has another.
bool make_absolute(int descriptor, struct flock &range) {
    if (range.l_whence == SEEK_CUR) {
        const off_t here = lseek(descriptor, 0, SEEK_CUR);
        if (here < 0) {
            return false;
        }
        range.l_start += here;
        range.l_whence = SEEK_SET;
    }
    return true;
}

/// A lock that waits: until there is an answer, other fibers run.
int wait_for_lock(const void *caller, int descriptor, struct flock &range) {
    const auto address = reinterpret_cast<std::uintptr_t>(&range);
    if (!gives_way(caller)) {
        return real_control(descriptor, F_OFD_SETLKW, address);
    }
    const int result = ask_until(deadline{}, ended_by::without_restart, [=] {
        if (real_control(descriptor, F_OFD_SETLK, address) == 0) {
            return 1;
        }
        return errno == EAGAIN || errno == EACCES ? 0 : -1;
    });
    return result == 1 ? 0 : -1;
}

int lock_range(const void *caller, int descriptor, int command, struct flock *wanted) {
    struct flock range = *wanted;
    if (!make_absolute(descriptor, range)) {
        return -1;
    }
    range.l_pid = 0;
    const int holder = rank_locks.current().for_file_of(descriptor);
    const auto apply = [&](int through) {
        switch (command) {
        case F_SETLKW:
            return wait_for_lock(caller, through, range);
        case F_GETLK:
            return real_control(through, F_OFD_GETLK, reinterpret_cast<std::uintptr_t>(&range));
        default:
            return real_control(through, F_OFD_SETLK, reinterpret_cast<std::uintptr_t>(&range));
        }
    };
    int result = apply(holder);
    if (result != 0 && errno == EBADF && holder != descriptor) { // the holder is open for reading alone
        struct flock none = range;
        none.l_type = F_UNLCK;
        real_control(holder, F_OFD_SETLK, reinterpret_cast<std::uintptr_t>(&none));
        result = apply(descriptor);
    }
    if (result == 0 && command == F_GETLK) {
        *wanted = range;
    }
    return result;
}

int lock_section(const void *caller, int descriptor, int what, off_t size) {
    struct flock range {};
    range.l_whence = SEEK_CUR;
    range.l_len = size;
    range.l_type = what == F_ULOCK ? F_UNLCK : F_WRLCK;
    if (what != F_TEST) {
        return lock_range(caller, descriptor, what == F_LOCK ? F_SETLKW : F_SETLK, &range);
    }
    if (lock_range(caller, descriptor, F_GETLK, &range) != 0) {
        return -1;
    }
    errno = EACCES;
    return range.l_type == F_UNLCK ? 0 : -1;
}

/// Signals about a descriptor are sent to a process; of a rank's they would come to all.
bool asks_for_signals(int command, std::uintptr_t argument) {
    return (command == F_SETOWN || command == F_SETOWN_EX || command == F_NOTIFY) && argument != 0;
}

int control(const void *caller, int descriptor, int command, std::uintptr_t argument) {
    if (!is_call_of_rank(caller)) {
        return real_control(descriptor, command, argument);
    }
    switch (command) {
    case F_SETLK:
    case F_SETLKW:
    case F_GETLK:
        return lock_range(caller, descriptor, command, reinterpret_cast<struct flock *>(argument));
    default:
        return asks_for_signals(command, argument)
                   ? refuse_call("fcntl(F_SETOWN or F_NOTIFY)", "one place for signals about descriptors")
                   : real_control(descriptor, command, argument);
    }
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

static_assert(sizeof(struct flock) == sizeof(struct flock64));

extern "C" {

int fcntl(int descriptor, int command, ...) {
    std::va_list rest;
    va_start(rest, command);
    const auto argument = va_arg(rest, std::uintptr_t);
    va_end(rest);
    return control(__builtin_return_address(0), descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
    std::va_list rest;
    va_start(rest, command);
    const auto argument = va_arg(rest, std::uintptr_t);
    va_end(rest);
    return control(__builtin_return_address(0), descriptor, command, argument);
}

int lockf(int descriptor, int what, off_t size) {
    const void *const caller = __builtin_return_address(0);
    return is_call_of_rank(caller) ? lock_section(caller, descriptor, what, size)
                                   : real_lockf(descriptor, what, size);
}

int lockf64(int descriptor, int what, off64_t size) {
    const void *const caller = __builtin_return_address(0);
    return is_call_of_rank(caller) ? lock_section(caller, descriptor, what, size)
                                   : real_lockf(descriptor, what, size);
}

int flock(int descriptor, int what) noexcept {
    if ((what & (LOCK_NB | LOCK_UN)) != 0 || !gives_way(__builtin_return_address(0))) {
        return real_flock(descriptor, what);
    }
    const int result = ask_until(deadline{}, ended_by::without_restart, [=] {
        return real_flock(descriptor, what | LOCK_NB) == 0 ? 1 : errno == EWOULDBLOCK ? 0 : -1;
    });
    return result == 1 ? 0 : -1;
}

} // extern "C"
