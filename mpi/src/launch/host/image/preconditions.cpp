// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/preconditions.hpp"

#include "base/text.hpp"
#include "launch/host/image/image_copies.hpp"
#include "launch/host/rank/refusal.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <gnu/libc-version.h>
#include <iterator>
#include <string_view>
#include <sys/mman.h>

namespace lisle::host {

namespace {

constexpr std::array<std::string_view, 33> wrappers{
    "bash",    "chrt",   "dash",    "env",     "gdb",      "ionice", "lislerun", "ltrace",  "mpiexec",
    "mpirun",  "nice",   "nohup",   "numactl", "orterun",  "perf",   "prlimit",  "prterun", "prun",
    "rr",      "script", "setarch", "setsid",  "sh",       "srun",   "stdbuf",   "strace",  "sudo",
    "taskset", "time",   "timeout", "unshare", "valgrind", "zsh"};

// For libraries that the program still loads, arenas of malloc, buffers of the job.
constexpr long reserve = 1000;

long limit_of_mappings() {
    long limit = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> limit;
    return limit;
}

/// A thread's stack and its guard page; the stacks of fibers are one mapping, or do without guards.
long mappings_of_stack(bool as_fibers) {
    return as_fibers ? 0 : 2;
}

long current_mappings() {
    std::ifstream maps("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n');
}

/// True if the program, or a library of its own, needs an MPI library.
bool calls_mpi(const std::string &program) {
    try {
        const closure unit(program);
        return std::ranges::any_of(unit.modules(), [](const module &each) {
            return std::ranges::any_of(each.shared,
                                       [](const std::string &name) { return name.starts_with("libmpi"); });
        });
    } catch (const refusal &) {
        return false; // of a script, for instance
    }
}

/// Whether Go's linker has made this file: it puts a mark into its data.
bool is_of_go(const program_file &file) {
    constexpr std::string_view mark = "\xff Go buildinf:";
    return std::ranges::any_of(file.segments(), [&](const segment &each) {
        if ((each.protection & PROT_WRITE) == 0) {
            return false;
        }
        const auto data = file.bytes().subspan(each.offset, each.file_size);
        return std::string_view(reinterpret_cast<const char *>(data.data()), data.size()).find(mark) !=
               std::string_view::npos;
    });
}

} // namespace

void check_for_own_system_calls(const closure &unit) {
    for (const module &each : unit.modules()) {
        if (is_of_go(*each.file)) {
            refuse_threads(each.file->path(),
                           "it is written in Go, whose runtime calls the system without the C "
                           "library: the end and the signals of one rank would be all ranks'");
        }
    }
}

void check_for_wrapper(const std::string &program) {
    char *const resolved = realpath(program.c_str(), nullptr);
    const std::string real = resolved != nullptr ? resolved : program;
    std::free(resolved);
    for (const std::string_view name : {base_name(program), base_name(real)}) {
        if (std::ranges::find(wrappers, name) != wrappers.end() && !calls_mpi(program)) {
            throw refusal(program + " starts other programs, which " + kind_of_ranks +
                          " ranks cannot become: put it in front of the launcher (" + std::string(name) +
                          " lislerun ...), or run its ranks as processes: --ranks process");
        }
    }
}

void check_stack(const closure &unit, bool as_fibers) {
    const bool threads_can = std::strtod(gnu_get_libc_version(), nullptr) < 2.41;
    if (unit.program().needs_executable_stack() && (as_fibers || !threads_can)) {
        throw refusal(unit.program().path() + " cannot run as " + (as_fibers ? "fiber" : "thread") +
                      " ranks: it needs an executable stack (nested functions of GCC, or assembler without "
                      ".note.GNU-stack)" +
                      (threads_can ? "; run it as threads: --ranks thread"
                                   : ", which this machine's C library gives to processes alone; run it as "
                                     "processes: --ranks process"));
    }
}

void check_for_fibers(const closure &unit) {
    for (const module &each : unit.modules()) {
        for (const std::string &path : each.shared) {
            const std::string_view name = base_name(path);
            if (name.starts_with("libgomp.so") || name.starts_with("libomp.so") ||
                name.starts_with("libiomp5.so")) {
                throw refusal(unit.program().path() + " cannot run as fiber ranks: " + each.file->path() +
                              " uses OpenMP (" + std::string(name) +
                              "), which keeps its state by thread, and fibers on one thread would share it; "
                              "run it as threads: --ranks thread");
            }
        }
    }
    if (unit.thread_local_bytes() != 0) {
        throw refusal(unit.program().path() +
                      " cannot run as fiber ranks: it or one of its own libraries has thread-local "
                      "variables (" +
                      std::to_string(unit.thread_local_bytes()) +
                      " bytes), which fibers on one thread would share; run it as threads: --ranks thread");
    }
}

bool has_mappings_for_copies(const closure &unit, int ranks, bool as_fibers) {
    const long limit = limit_of_mappings();
    return limit == 0 || current_mappings() + reserve +
                                 ranks * (static_cast<long>(image_copies::mappings_of_each(unit)) +
                                          mappings_of_stack(as_fibers)) <=
                             limit;
}

void check_mappings(const closure &unit, int ranks, bool as_fibers) {
    const long limit = limit_of_mappings();
    if (limit == 0) { // not to be read in this container: the loader will tell
        return;
    }
    // Each segment is a mapping, the zeroed memory behind the last one is another, new names are a third.
    long of_image = 0;
    if (ranks <= image_copies::most_by_loader || !image_copies::possible_for(unit)) {
        for (const module &each : unit.modules()) {
            of_image +=
                static_cast<long>(each.file->segments().size()) + 1 + (unit.modules().size() > 1 ? 1 : 0);
        }
    } // else copies find room
    const long need = current_mappings() + reserve + ranks * (of_image + mappings_of_stack(as_fibers));
    if (need > limit) {
        throw refusal(std::to_string(ranks) + " " + kind_of_ranks + " ranks of " + unit.program().path() +
                      (unit.modules().size() > 1
                           ? " and its " + std::to_string(unit.modules().size() - 1) + " own libraries"
                           : "") +
                      " need about " + std::to_string(need) +
                      " memory mappings, the limit vm.max_map_count is " + std::to_string(limit) +
                      "; raise it (sysctl vm.max_map_count=" + std::to_string(need) +
                      ") or spread the ranks over more processes (-P)");
    }
}

} // namespace lisle::host
