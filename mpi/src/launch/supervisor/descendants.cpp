// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/descendants.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process_status.hpp"
#include "dynamic/start.hpp"

namespace lisle::launch {

namespace {

struct process {
    pid_t pid;
    pid_t parent;
};

pid_t number(std::string_view text) {
    pid_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::vector<process> all_processes() {
    std::vector<process> found;
    const std::unique_ptr<DIR, int (*)(DIR *)> folder{opendir("/proc"), closedir};
    if (!folder) {
        return found;
    }
    while (const auto *const entry = readdir(folder.get())) {
        if (const pid_t pid = number(entry->d_name); pid > 0) {
            found.push_back({pid, parent_of(pid)});
        }
    }
    return found;
}

// Reaps what has ended; false once there are no children at all.
bool reap() {
    pid_t ended = 0;
    do {
        ended = waitpid(-1, nullptr, WNOHANG);
    } while (ended > 0);
    return ended == 0;
}

void pause(std::chrono::milliseconds time) {
    const timespec span{0, static_cast<long>(time.count()) * 1'000'000};
    nanosleep(&span, nullptr);
}

} // namespace

std::vector<pid_t> descendants() {
    auto others = all_processes();
    std::vector<pid_t> family{getpid()};
    for (std::size_t next = 0; next < family.size(); ++next) {
        const auto children = std::partition(others.begin(), others.end(),
                                             [&](const process &p) { return p.parent != family[next]; });
        for (auto child = children; child != others.end(); ++child) {
            family.push_back(child->pid);
        }
        others.erase(children, others.end());
    }
    family.erase(family.begin());
    return family;
}

bool has_spawned_job() {
    siginfo_t any{};
    if (waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) != 0) {
        return false; // no children at all: nobody has to be looked for among all processes of the machine
    }
    const auto all = all_processes();
    return std::ranges::any_of(all, [](const process &each) {
        return each.parent == getpid() &&
               content_of_process(each.pid, "environ").find(dynamic::launcher_alive_variable) !=
                   std::string::npos;
    });
}

void signal_descendants(int signal) {
    for (const auto pid : descendants()) {
        kill(pid, signal);
    }
}

bool end_descendants(std::chrono::milliseconds grace) {
    using clock = std::chrono::steady_clock;
    if (!reap()) {
        return true;
    }
    const auto kill_at = clock::now() + grace;
    const auto give_up_at = kill_at + std::chrono::seconds{2};
    if (grace.count() > 0) {
        signal_descendants(SIGTERM);
        signal_descendants(SIGCONT); // a stopped process ends only when it runs
    }
    for (auto now = clock::now(); now < give_up_at; now = clock::now()) {
        if (now >= kill_at) {
            signal_descendants(SIGKILL);
        }
        if (!reap()) {
            return true;
        }
        pause(std::chrono::milliseconds{2});
        if (!reap()) {
            return true;
        }
    }
    return false;
}

} // namespace lisle::launch
