// SPDX-License-Identifier: Apache-2.0
#include "execution/other_threads.hpp"

#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <linux/futex.h>
#include <memory>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own_thread.hpp"
#include "base/process_status.hpp"

namespace lisle {

namespace {

/// True if no other process maps the page. A futex there has the waiters of this process only, also without
/// FUTEX_PRIVATE_FLAG, which std::atomic::wait() does not set.
bool is_private(std::uint64_t address) {
    std::ifstream maps{"/proc/self/maps"};
    for (std::string line; std::getline(maps, line);) {
        std::uint64_t first = 0, end = 0;
        char rights[5] = "";
        if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &first, &end, rights) == 3 &&
            first <= address && address < end) {
            return rights[3] == 'p';
        }
    }
    return false;
}

/// Whether the call is what pause() is made of.
bool is_pause(const std::string &call, [[maybe_unused]] const std::string &descriptors,
              [[maybe_unused]] const std::string &count, [[maybe_unused]] const std::string &limit) {
#ifdef SYS_pause
    return call == std::to_string(SYS_pause);
#else
    const std::string none = "0x0";
    return call == std::to_string(SYS_ppoll) && descriptors == none && count == none && limit == none;
#endif
}

/// True for a thread that sleeps until another thread of the process wakes it. /proc shows the system call in
/// which a thread sleeps, its arguments as hexadecimal numbers, or "running".
bool waits_for_its_process(const std::string &thread) {
    std::ifstream from{"/proc/self/task/" + thread + "/syscall"};
    std::string call, word, operation, value, limit;
    from >> call >> word >> operation >> value >> limit;
    if (is_pause(call, word, operation, value)) {
        return true; // a rank of the process that has ended
    }
    if (!from || call != std::to_string(SYS_futex)) {
        return false;
    }
    const long flags = std::strtol(operation.c_str(), nullptr, 0);
    const long command = flags & FUTEX_CMD_MASK;
    const bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
    return waits && std::strtoull(limit.c_str(), nullptr, 0) == 0 &&
           ((flags & FUTEX_PRIVATE_FLAG) != 0 || is_private(std::strtoull(word.c_str(), nullptr, 0)));
}

// ThreadSanitizer has a thread of its own in each process.
#if defined(__SANITIZE_THREAD__)
constexpr int threads_of_sanitizer = 1;
#else
constexpr int threads_of_sanitizer = 0;
#endif

} // namespace

bool is_anybody_else_at_work(int workers) {
    struct closer {
        void operator()(DIR *open) const noexcept { closedir(open); }
    };
    const std::unique_ptr<DIR, closer> tasks{opendir("/proc/self/task")};
    if (!tasks) {
        return true;
    }
    int at_work = -threads_of_sanitizer;
    while (const dirent *const entry = readdir(tasks.get())) {
        const auto thread = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
        if (thread != 0 && !own_thread::is_one(thread) && !waits_for_its_process(entry->d_name)) {
            ++at_work;
        }
    }
    const auto waiting = static_cast<int>(waits_of_threads.load(std::memory_order_relaxed));
    return at_work > workers + waiting;
}

bool may_a_handler_run() {
    constexpr auto bit_of = [](int signal) { return std::uint64_t{1} << (signal - 1); };
    constexpr std::uint64_t first_real_time = 34; // the C library keeps those below for itself
    constexpr std::uint64_t sent_by_others =
        bit_of(SIGALRM) | bit_of(SIGVTALRM) | bit_of(SIGPROF) | bit_of(SIGIO) | bit_of(SIGURG) |
        bit_of(SIGCHLD) | bit_of(SIGUSR1) | bit_of(SIGUSR2) | ~std::uint64_t{0} << (first_real_time - 1);
    const std::string status = content_of_process(getpid(), "status");
    const std::string caught = "\nSigCgt:";
    const std::size_t at = status.find(caught);
    return at == std::string::npos ||
           (std::strtoull(status.c_str() + at + caught.size(), nullptr, 16) & sent_by_others) != 0;
}

} // namespace lisle
