// SPDX-License-Identifier: Apache-2.0
// gprof: programs compiled with -pg count their calls and samples in one table of the C library's, for one
// program at one address. Each rank has a table of its own here, and writes the file that its process would
// have written. The format: gmon_out.h of the C library.
#include "base/program_counter.hpp"
#include "launch/host/image/loaded_code.hpp"
#include "launch/host/process/number.hpp"
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/real.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace lisle::host {

namespace {

const real<"__monstartup", void(unsigned long, unsigned long)> real_begin;
const real<"_mcleanup", void()> real_end;
const real<"sigaction", int(int, const struct sigaction *, struct sigaction *)> real_action;

constexpr int rate = 100;                ///< samples in a second of a processor's time
constexpr unsigned long granularity = 4; ///< bytes of code for one counter of samples

/// One way from a call to a function. Relaxed: numbers alone; a reader comes after the program.
struct arc {
    std::atomic<std::uintptr_t> from{0};
    std::atomic<std::uintptr_t> to{0};
    std::atomic<std::uint32_t> count{0};
};

/// Filled by functions of the program at their beginning and by signal handlers, so nothing here allocates
/// once it is made.
struct profile {
    profile(std::uintptr_t first, std::uintptr_t last, std::uintptr_t loaded_at)
        : low(first), high(last), base(loaded_at), samples((last - first) / granularity + 1),
          arcs(std::max<std::size_t>(1024, (last - first) / 16)) {}

    void count(std::uintptr_t from, std::uintptr_t to) noexcept {
        std::size_t place = (from * 31 + to) % arcs.size();
        for (std::size_t tries = 0; tries != arcs.size(); ++tries, place = (place + 1) % arcs.size()) {
            std::uintptr_t found = 0;
            arc &here = arcs[place];
            if (here.from.compare_exchange_strong(found, from, std::memory_order_relaxed)) {
                here.to.store(to, std::memory_order_relaxed);
                found = from;
            }
            if (found == from && here.to.load(std::memory_order_relaxed) == to) {
                here.count.fetch_add(1, std::memory_order_relaxed);
                return;
            }
        }
    }
    void sample(std::uintptr_t at) noexcept {
        if (at >= low && at < high) {
            samples[(at - low) / granularity].fetch_add(1, std::memory_order_relaxed);
        }
    }

    const std::uintptr_t low, high; ///< of the program's code
    const std::uintptr_t base;      ///< where the file's address 0 is
    std::vector<std::atomic<std::uint16_t>> samples;
    std::vector<arc> arcs;
};

// Release, acquire: functions count from then on.
const rank_slot<std::atomic<profile *>> rank_profile; // never removed: threads may still count

void on_sample(int, siginfo_t *, void *context) {
    if (hosted_rank *const rank = this_rank()) {
        if (profile *const own = rank_profile.of(*rank).load(std::memory_order_acquire)) {
            own->sample(reinterpret_cast<std::uintptr_t>(lisle::program_counter(context)));
        }
    }
}

/// A timer of the calling thread, which samples whichever rank runs on it.
void begin_samples() {
    struct sigaction wanted {};
    wanted.sa_sigaction = &on_sample;
    wanted.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    real_action(SIGPROF, &wanted, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    int timer = 0; // by the system call: one for each thread that is never removed
    if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0) {
        const itimerspec each{{0, 1'000'000'000 / rate}, {0, 1'000'000'000 / rate}};
        syscall(SYS_timer_settime, timer, 0, &each, nullptr);
    }
}

void append(std::string &text, const void *data, std::size_t size) {
    text.append(static_cast<const char *>(data), size);
}
template <class Value> void append(std::string &text, Value value) {
    append(text, &value, sizeof value);
}

std::string content_of(const profile &own) {
    std::string text("gmon\1\0\0\0", 8); // version 1
    text.append(12, '\0');
    text.push_back('\0'); // samples
    append(text, own.low - own.base);
    append(text, own.low - own.base + own.samples.size() * granularity);
    append(text, static_cast<std::uint32_t>(own.samples.size()));
    append(text, std::uint32_t{rate});
    append(text, "seconds\0\0\0\0\0\0\0\0s", 16);
    for (const auto &each : own.samples) {
        append(text, each.load(std::memory_order_relaxed));
    }
    for (const arc &each : own.arcs) {
        if (const std::uint32_t count = each.count.load(std::memory_order_relaxed); count != 0) {
            text.push_back('\1'); // a way
            append(text, each.from.load(std::memory_order_relaxed) - own.base);
            append(text, each.to.load(std::memory_order_relaxed) - own.base);
            append(text, count);
        }
    }
    return text;
}

void write_profile(hosted_rank &rank, const profile &own) {
    const char *const prefix = rank.variables.get("GMON_OUT_PREFIX");
    const std::string name = prefix != nullptr && *prefix != '\0'
                                 ? std::string(prefix) + "." + std::to_string(number_of(rank))
                                 : "gmon.out";
    const int file = open(name.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    const std::string text = content_of(own);
    if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        std::fprintf(stderr, "lisle-host: rank %d: writing its profile %s failed: %s\n", rank.number,
                     name.c_str(), std::strerror(errno));
    }
    if (file >= 0) {
        close(file);
    }
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

void __monstartup(unsigned long first, unsigned long last) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        real_begin(first, last);
        return;
    }
    const auto base = reinterpret_cast<std::uintptr_t>(image_of(*rank).base());
    rank_profile.of(*rank).store(new profile(first, last, base), std::memory_order_release);
    begin_samples();
}

void _mcleanup() noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        real_end();
        return;
    }
    if (const profile *const own = rank_profile.of(*rank).exchange(nullptr, std::memory_order_acq_rel)) {
        write_profile(*rank, *own);
    }
}

/// A function of a program begins. On x86-64 it must not touch the registers that carry arguments.
__attribute__((target("general-regs-only"))) void lisle_count_call(std::uintptr_t from,
                                                                   std::uintptr_t to) noexcept {
    if (hosted_rank *const rank = lisle::host::this_rank()) {
        if (profile *const own = rank_profile.of(*rank).load(std::memory_order_acquire)) {
            own->count(from, to);
        }
    }
}

#if defined(__aarch64__)
void _mcount(std::uintptr_t from) noexcept {
    lisle_count_call(from, reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}
#endif

} // extern "C"

#if defined(__x86_64__)
// What functions compiled with -pg call behind `push %rbp; mov %rsp, %rbp`: all registers are the caller's.
asm(".text\n"
    ".globl mcount\n"
    ".type mcount, @function\n"
    "mcount:\n"
    "    subq $56, %rsp\n"
    "    movq %rax, (%rsp)\n"
    "    movq %rcx, 8(%rsp)\n"
    "    movq %rdx, 16(%rsp)\n"
    "    movq %rsi, 24(%rsp)\n"
    "    movq %rdi, 32(%rsp)\n"
    "    movq %r8, 40(%rsp)\n"
    "    movq %r9, 48(%rsp)\n"
    "    movq 8(%rbp), %rdi\n"
    "    movq 56(%rsp), %rsi\n"
    "    call lisle_count_call\n"
    "    movq (%rsp), %rax\n"
    "    movq 8(%rsp), %rcx\n"
    "    movq 16(%rsp), %rdx\n"
    "    movq 24(%rsp), %rsi\n"
    "    movq 32(%rsp), %rdi\n"
    "    movq 40(%rsp), %r8\n"
    "    movq 48(%rsp), %r9\n"
    "    addq $56, %rsp\n"
    "    ret\n"
    ".size mcount, . - mcount\n");

#endif
