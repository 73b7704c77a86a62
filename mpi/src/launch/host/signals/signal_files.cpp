// SPDX-License-Identifier: Apache-2.0
#include "launch/host/signals/signal_files.hpp"

#include "launch/host/rank/by_errno.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/signals/dispatch.hpp"
#include "launch/host/signals/kernel.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"signalfd", int(int, const sigset_t *, int)> real_signalfd;

signalfd_siginfo record_of(const siginfo_t &what) noexcept {
    signalfd_siginfo made{};
    made.ssi_signo = static_cast<std::uint32_t>(what.si_signo);
    made.ssi_errno = what.si_errno;
    made.ssi_code = what.si_code;
    if (what.si_code == SI_TIMER) {
        made.ssi_tid = static_cast<std::uint32_t>(what.si_timerid);
        made.ssi_overrun = static_cast<std::uint32_t>(what.si_overrun);
    } else {
        made.ssi_pid = static_cast<std::uint32_t>(what.si_pid);
        made.ssi_uid = what.si_uid;
    }
    if (what.si_signo == SIGCHLD && what.si_code > 0) {
        made.ssi_status = what.si_status;
        made.ssi_utime = static_cast<std::uint64_t>(what.si_utime);
        made.ssi_stime = static_cast<std::uint64_t>(what.si_stime);
    } else {
        made.ssi_int = what.si_value.sival_int;
        made.ssi_ptr = reinterpret_cast<std::uint64_t>(what.si_value.sival_ptr);
    }
    return made;
}

ino_t inode_of(int descriptor) {
    struct stat about {};
    return fstat(descriptor, &about) == 0 ? about.st_ino : 0;
}

/// What waits already goes to the descriptor as well.
void write_waiting_locked(rank_signals &of, signal_table &table, signal_bits wanted) {
    thread_signals *const self = of.self_locked();
    for (siginfo_t taken; self != nullptr && of.take_locked(*self, wanted, taken);) {
        if (!write_to_file_locked(table, taken)) {
            table.sent.add(taken, table.places);
            return;
        }
    }
}

int open_file(rank_signals &of, signal_table &table, signal_bits wanted, int flags) {
    if (table.file_count == table.files.size()) {
        return fail_with(EMFILE);
    }
    int ends[2];
    const int type = SOCK_STREAM | ((flags & SFD_CLOEXEC) != 0 ? SOCK_CLOEXEC : 0);
    if (socketpair(AF_UNIX, type, 0, ends) != 0) {
        return -1;
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    if ((flags & SFD_NONBLOCK) != 0) {
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    const signals_locked lock;
    table.files[table.file_count++] = {ends[1], inode_of(ends[0]), wanted};
    write_waiting_locked(of, table, wanted);
    return ends[0];
}

int change_file(rank_signals &of, signal_table &table, int descriptor, signal_bits wanted) {
    const ino_t inode = inode_of(descriptor);
    const signals_locked lock;
    for (std::size_t i = 0; i != table.file_count; ++i) {
        if (table.files[i].read_end == inode) {
            table.files[i].wanted = wanted;
            write_waiting_locked(of, table, wanted);
            return descriptor;
        }
    }
    return fail_with(EINVAL);
}

} // namespace

bool write_to_file_locked(signal_table &of, const siginfo_t &what) noexcept {
    for (std::size_t i = 0; i != of.file_count; ++i) {
        signal_file &each = of.files[i];
        if ((each.wanted & bit_of(what.si_signo)) == 0) {
            continue;
        }
        const signalfd_siginfo record = record_of(what);
        const ssize_t written =
            real_send(each.write_end, &record, sizeof record, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (written == sizeof record) {
            return true;
        }
        if (errno == EPIPE) { // the program has closed it
            close(each.write_end);
            each = of.files[--of.file_count];
            --i;
        }
    }
    return false;
}

} // namespace lisle::host

extern "C" int signalfd(int descriptor, const sigset_t *set, int flags) noexcept {
    using namespace lisle::host;
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_signalfd(descriptor, set, flags);
    }
    if ((flags & ~(SFD_CLOEXEC | SFD_NONBLOCK)) != 0) {
        return fail_with(EINVAL);
    }
    rank_signals &mine = signals_of.of(*this_rank());
    signal_table *const table = mine.use();
    if (table == nullptr) {
        return -1;
    }
    const signal_bits wanted = bits_of(*set) & ~never_caught & ~faults;
    {
        const signals_locked lock;
        watch_locked(wanted);
    }
    return descriptor == -1 ? open_file(mine, *table, wanted, flags)
                            : change_file(mine, *table, descriptor, wanted);
}
