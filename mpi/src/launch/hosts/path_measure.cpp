// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/path_measure.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/owned_descriptor.hpp"
#include "tcp/connecting.hpp"

namespace lisle::launch {

namespace {

using clock = std::chrono::steady_clock;
constexpr int pings = 100;
constexpr int most_callers = 64; ///< at a time: strangers may call
constexpr std::chrono::seconds longest_wait{5};
constexpr std::chrono::milliseconds longest_stream{60};
constexpr std::size_t most_bytes = std::size_t{256} << 20;

/// From now on calls wait, but not longer than longest_wait.
void let_wait(int socket) noexcept {
    const timeval limit{longest_wait.count(), 0};
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK);
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

bool send_all(int socket, const void *bytes, std::size_t count) noexcept {
    return send(socket, bytes, count, MSG_NOSIGNAL) == static_cast<ssize_t>(count);
}

bool receive_all(int socket, void *bytes, std::size_t count) noexcept {
    return recv(socket, bytes, count, MSG_WAITALL) == static_cast<ssize_t>(count);
}

void serve(int socket, std::uint64_t token) {
    let_wait(socket);
    std::uint64_t said = 0;
    if (!receive_all(socket, &said, sizeof said) || said != token) {
        return;
    }
    for (int ping = 0; ping != pings; ++ping) {
        char byte = 0;
        if (!receive_all(socket, &byte, 1) || !send_all(socket, &byte, 1)) {
            return;
        }
    }
    std::vector<char> room(std::size_t{1} << 20);
    std::uint64_t bytes = 0;
    for (ssize_t some = 0; (some = recv(socket, room.data(), room.size(), 0)) > 0;) {
        bytes += static_cast<std::uint64_t>(some);
    }
    send_all(socket, &bytes, sizeof bytes);
}

/// The median of the times that a byte takes to the other end and back, halved.
double microseconds_one_way(int socket, int &problem) {
    std::array<double, pings> times{};
    for (double &each : times) {
        char byte = 1;
        const auto begin = clock::now();
        if (!send_all(socket, &byte, 1) || !receive_all(socket, &byte, 1)) {
            problem = errno == EAGAIN || errno == 0 ? ETIMEDOUT : errno;
            return 0;
        }
        each = std::chrono::duration<double, std::micro>(clock::now() - begin).count() / 2;
    }
    std::ranges::nth_element(times, times.begin() + pings / 2);
    return times[pings / 2];
}

/// Megabytes each second, from the first byte's leaving to the word that the last one has come.
double megabytes_per_second(int socket, int &problem) {
    const std::vector<char> data(std::size_t{1} << 20, 'x');
    const auto begin = clock::now();
    std::uint64_t sent = 0, came = 0;
    while (sent < most_bytes && clock::now() - begin < longest_stream) {
        const ssize_t some = send(socket, data.data(), data.size(), MSG_NOSIGNAL);
        if (some <= 0) {
            break;
        }
        sent += static_cast<std::uint64_t>(some);
    }
    shutdown(socket, SHUT_WR);
    if (!receive_all(socket, &came, sizeof came) || came != sent) {
        problem = ETIMEDOUT; // short messages pass, and long ones do not: a wrong MTU does that
        return 0;
    }
    return static_cast<double>(sent) /
           std::chrono::duration<double, std::micro>(clock::now() - begin).count();
}

int problem_of_connecting(int socket) noexcept {
    constexpr int longest = 2000;
    pollfd asked{socket, POLLOUT, 0};
    return poll(&asked, 1, longest) == 1 ? tcp::failure_of(socket) : ETIMEDOUT;
}

} // namespace

void serve_measurements(int listener, std::uint64_t token) {
    fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) & ~O_NONBLOCK);
    for (int callers = 0;;) {
        while (callers > 0 && waitpid(-1, nullptr, callers < most_callers ? WNOHANG : 0) > 0) {
            --callers;
        }
        const owned_descriptor caller{accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)};
        if (!caller) {
            usleep(1000); // no descriptor is left, or the caller has gone
            continue;
        }
        const pid_t made = fork();
        if (made == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            serve(caller.get(), token);
            _exit(0);
        }
        callers += made > 0 ? 1 : 0;
    }
}

measured_path measure(const tcp::path &by, std::uint64_t token) {
    tcp::begun_connection begun = tcp::begin_connecting(by.to, by.from);
    measured_path found{begun.failure};
    if (begun.socket && found.problem == 0) {
        found.problem = problem_of_connecting(begun.socket.get());
    }
    if (found.problem != 0 || !begun.socket) {
        return found;
    }
    const int socket = begun.socket.get();
    let_wait(socket);
    if (!send_all(socket, &token, sizeof token)) {
        found.problem = errno;
        return found;
    }
    found.microseconds = microseconds_one_way(socket, found.problem);
    if (found.problem == 0) {
        found.megabytes = megabytes_per_second(socket, found.problem);
    }
    return found;
}

} // namespace lisle::launch
