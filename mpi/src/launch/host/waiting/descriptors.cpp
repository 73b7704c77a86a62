// SPDX-License-Identifier: Apache-2.0
// Pipes, sockets and waiting for them, as fiber ranks see them: other ranks of the worker run while nothing
// comes. The kernel rings no bell, so the fiber polls, in pauses of at most a millisecond.
#include "launch/host/waiting/descriptors.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/waiting/asking.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"ppoll", int(pollfd *, nfds_t, const timespec *, const sigset_t *)> real_ppoll;
const real<"select", int(int, fd_set *, fd_set *, fd_set *, timeval *)> real_select;
const real<"pselect", int(int, fd_set *, fd_set *, fd_set *, const timespec *, const sigset_t *)>
    real_pselect;
const real<"epoll_wait", int(int, epoll_event *, int, int)> real_epoll_wait;
const real<"epoll_pwait", int(int, epoll_event *, int, int, const sigset_t *)> real_epoll_pwait;
const real<"read", ssize_t(int, void *, std::size_t)> real_read;
const real<"readv", ssize_t(int, const iovec *, int)> real_readv;
const real<"recv", ssize_t(int, void *, std::size_t, int)> real_recv;
const real<"recvfrom", ssize_t(int, void *, std::size_t, int, sockaddr *, socklen_t *)> real_recvfrom;
const real<"recvmsg", ssize_t(int, msghdr *, int)> real_recvmsg;
const real<"accept", int(int, sockaddr *, socklen_t *)> real_accept;
const real<"accept4", int(int, sockaddr *, socklen_t *, int)> real_accept4;
const real<"__read_chk", ssize_t(int, void *, std::size_t, std::size_t)> real_checked_read;
const real<"__recv_chk", ssize_t(int, void *, std::size_t, std::size_t, int)> real_checked_recv;
const real<"__poll_chk", int(pollfd *, nfds_t, int, std::size_t)> real_checked_poll;

/// What a timeout in milliseconds means to poll and epoll_wait.
deadline after_milliseconds(int timeout) {
    return timeout < 0 ? deadline{} : deadline::after(std::int64_t{timeout} * 1'000'000);
}
deadline after(const timespec *timeout) {
    return timeout == nullptr ? deadline{} : deadline::after(nanoseconds_of(*timeout));
}

/// Whether a call on the descriptor would block until one of `events`. A bad descriptor does not block.
bool would_block(int descriptor, short events) {
    pollfd asked{descriptor, events, 0};
    if (real_poll(&asked, 1, 0) != 0) {
        return false;
    }
    const int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

/// When a call on a socket is to give up. [socket(7), SO_RCVTIMEO and SO_SNDTIMEO]
deadline limit_of(int descriptor, short events) {
    timeval limit{};
    socklen_t size = sizeof limit;
    const int option = events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO;
    if (getsockopt(descriptor, SOL_SOCKET, option, &limit, &size) != 0 ||
        (limit.tv_sec == 0 && limit.tv_usec == 0)) {
        return {};
    }
    return deadline::after(limit.tv_sec * second + limit.tv_usec * 1000);
}

/// Waits until a call on the descriptor would not block. False, with errno, if the socket's own time limit is
/// over.
bool await(int descriptor, short events) {
    if (!would_block(descriptor, events)) {
        return true;
    }
    const int ready = ask_until(limit_of(descriptor, events), ended_by::without_restart, [=] {
        pollfd asked{descriptor, events, 0};
        return real_poll(&asked, 1, 0);
    });
    errno = ready == 0 ? EAGAIN : errno;
    return ready > 0;
}

/// A call on a descriptor that returns to `caller`: other fibers run until it would not block.
template <class Call> auto when_readable(const void *caller, int descriptor, int flags, Call call) {
    const bool waits = gives_way(caller) && (flags & MSG_DONTWAIT) == 0;
    return waits && !await(descriptor, POLLIN) ? decltype(call()){-1} : call();
}

/// Asks the kernel until there is an answer or so many milliseconds are over. @param ask takes the time that
/// the kernel may wait
template <class Ask> int ask_for(const void *caller, int milliseconds, Ask ask) {
    return gives_way(caller)
               ? ask_until(after_milliseconds(milliseconds), ended_by::every_handler, [=] { return ask(0); })
               : ask(milliseconds);
}

/// Writes to what has room for some of the data only, as fast as room is made. @param write_some writes
/// what does not block. Returns how much was written, or -1 if nothing was.
template <class WriteSome>
ssize_t write_in_pieces(int descriptor, const void *data, std::size_t size, WriteSome write_some) {
    const auto *const bytes = static_cast<const char *>(data);
    std::size_t done = 0;
    do {
        const ssize_t written =
            await(descriptor, POLLOUT) ? write_some(bytes + done, size - done) : ssize_t{-1};
        if (written < 0) {
            return done != 0 ? static_cast<ssize_t>(done) : -1;
        }
        done += static_cast<std::size_t>(written);
    } while (done < size);
    return static_cast<ssize_t>(done);
}

/// select() overwrites the sets with its answer, so they are restored before each look.
template <class Ask> int select_as_fiber(const std::array<fd_set *, 3> &sets, const deadline &end, Ask ask) {
    std::array<fd_set, 3> asked{};
    for (std::size_t i = 0; i != sets.size(); ++i) {
        if (sets[i] != nullptr) {
            asked[i] = *sets[i];
        }
    }
    return ask_until(end, ended_by::every_handler, [&] {
        for (std::size_t i = 0; i != sets.size(); ++i) {
            if (sets[i] != nullptr) {
                *sets[i] = asked[i];
            }
        }
        return ask();
    });
}

bool is_pipe(int descriptor) {
    struct stat about {};
    return fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode);
}
bool is_blocking_socket(int descriptor) {
    struct stat about {};
    return fstat(descriptor, &about) == 0 && S_ISSOCK(about.st_mode) &&
           (fcntl(descriptor, F_GETFL) & O_NONBLOCK) == 0;
}

ssize_t send_as_fiber(int descriptor, const void *data, std::size_t size, int flags) {
    int type = 0;
    socklen_t length = sizeof type;
    getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length);
    if (type != SOCK_STREAM) { // a datagram goes whole
        return await(descriptor, POLLOUT) ? real_send(descriptor, data, size, flags) : -1;
    }
    return write_in_pieces(descriptor, data, size, [=](const char *from, std::size_t left) -> ssize_t {
        const ssize_t sent = real_send(descriptor, from, left, flags | MSG_DONTWAIT);
        return sent < 0 && errno == EAGAIN ? 0 : sent;
    });
}

} // namespace

ssize_t write_to(int descriptor, const void *data, std::size_t size, const void *caller) {
    if (gives_way(caller)) {
        if (is_blocking_socket(descriptor)) {
            return send_as_fiber(descriptor, data, size, 0);
        }
        if (is_pipe(descriptor)) { // one with room has it for PIPE_BUF bytes
            return write_in_pieces(descriptor, data, size, [=](const char *from, std::size_t left) {
                return real_write(descriptor, from, std::min<std::size_t>(left, PIPE_BUF));
            });
        }
    }
    return real_write(descriptor, data, size);
}

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int poll(pollfd *descriptors, nfds_t count, int timeout) {
    return ask_for(__builtin_return_address(0), timeout,
                   [=](int wait) { return real_poll(descriptors, count, wait); });
}

int ppoll(pollfd *descriptors, nfds_t count, const timespec *timeout, const sigset_t *mask) {
    if (!gives_way(__builtin_return_address(0)) || (timeout != nullptr && !is_valid(*timeout))) {
        return real_ppoll(descriptors, count, timeout, mask);
    }
    constexpr timespec at_once{};
    return ask_until(after(timeout), ended_by::every_handler,
                     [=] { return real_ppoll(descriptors, count, &at_once, mask); });
}

int pselect(int count, fd_set *to_read, fd_set *to_write, fd_set *excepted, const timespec *timeout,
            const sigset_t *mask) {
    if (!gives_way(__builtin_return_address(0)) || (timeout != nullptr && !is_valid(*timeout))) {
        return real_pselect(count, to_read, to_write, excepted, timeout, mask);
    }
    return select_as_fiber({to_read, to_write, excepted}, after(timeout), [=] {
        constexpr timespec at_once{};
        return real_pselect(count, to_read, to_write, excepted, &at_once, mask);
    });
}

int select(int count, fd_set *to_read, fd_set *to_write, fd_set *excepted, timeval *timeout) {
    if (!gives_way(__builtin_return_address(0)) ||
        (timeout != nullptr && (timeout->tv_sec < 0 || timeout->tv_usec < 0))) {
        return real_select(count, to_read, to_write, excepted, timeout);
    }
    const deadline end =
        timeout == nullptr ? deadline{} : deadline::after(timeout->tv_sec * second + timeout->tv_usec * 1000);
    return select_as_fiber({to_read, to_write, excepted}, end, [=] {
        timeval at_once{};
        return real_select(count, to_read, to_write, excepted, &at_once);
    });
}

int epoll_wait(int set, epoll_event *events, int most, int timeout) {
    return ask_for(__builtin_return_address(0), timeout,
                   [=](int wait) { return real_epoll_wait(set, events, most, wait); });
}

int epoll_pwait(int set, epoll_event *events, int most, int timeout, const sigset_t *mask) {
    return ask_for(__builtin_return_address(0), timeout,
                   [=](int wait) { return real_epoll_pwait(set, events, most, wait, mask); });
}

ssize_t read(int descriptor, void *into, std::size_t size) {
    return when_readable(__builtin_return_address(0), descriptor, 0,
                         [=] { return real_read(descriptor, into, size); });
}

ssize_t readv(int descriptor, const iovec *into, int count) {
    return when_readable(__builtin_return_address(0), descriptor, 0,
                         [=] { return real_readv(descriptor, into, count); });
}

ssize_t recvfrom(int descriptor, void *into, std::size_t size, int flags, sockaddr *from, socklen_t *length) {
    return when_readable(__builtin_return_address(0), descriptor, flags,
                         [=] { return real_recvfrom(descriptor, into, size, flags, from, length); });
}

ssize_t recv(int descriptor, void *into, std::size_t size, int flags) {
    return when_readable(__builtin_return_address(0), descriptor, flags,
                         [=] { return real_recv(descriptor, into, size, flags); });
}

ssize_t recvmsg(int descriptor, msghdr *message, int flags) {
    return when_readable(__builtin_return_address(0), descriptor, flags,
                         [=] { return real_recvmsg(descriptor, message, flags); });
}

int accept(int descriptor, sockaddr *from, socklen_t *length) {
    return when_readable(__builtin_return_address(0), descriptor, 0,
                         [=] { return real_accept(descriptor, from, length); });
}

int accept4(int descriptor, sockaddr *from, socklen_t *length, int flags) {
    return when_readable(__builtin_return_address(0), descriptor, 0,
                         [=] { return real_accept4(descriptor, from, length, flags); });
}

ssize_t send(int descriptor, const void *data, std::size_t size, int flags) {
    if (gives_way(__builtin_return_address(0)) && (flags & MSG_DONTWAIT) == 0 &&
        is_blocking_socket(descriptor)) {
        return send_as_fiber(descriptor, data, size, flags);
    }
    return real_send(descriptor, data, size, flags);
}

// The names of read, recv and poll in programs compiled with _FORTIFY_SOURCE.
ssize_t __read_chk(int descriptor, void *into, std::size_t size, std::size_t room) {
    return when_readable(__builtin_return_address(0), descriptor, 0,
                         [=] { return real_checked_read(descriptor, into, size, room); });
}

ssize_t __recv_chk(int descriptor, void *into, std::size_t size, std::size_t room, int flags) {
    return when_readable(__builtin_return_address(0), descriptor, flags,
                         [=] { return real_checked_recv(descriptor, into, size, room, flags); });
}

int __poll_chk(pollfd *descriptors, nfds_t count, int timeout, std::size_t room) {
    return ask_for(__builtin_return_address(0), timeout,
                   [=](int wait) { return real_checked_poll(descriptors, count, wait, room); });
}

} // extern "C"
