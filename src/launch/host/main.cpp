// SPDX-License-Identifier: Apache-2.0
// lisle-host program argument...: runs the thread or fiber ranks of one process of a job, each with a private
// image of the program. The launcher starts it; how many ranks there are it learns from the library.
#include "launch/host/image/architecture.hpp"
#include "launch/host/image/private_object.hpp"
#include "launch/host/image/sanitizer.hpp"
#include "launch/host/interpose/identity.hpp"
#include "launch/host/interpose/limits.hpp"
#include "launch/host/life/faults.hpp"
#include "launch/host/life/life.hpp"
#include "launch/host/life/refusal.hpp"
#include "launch/host/life/wrappers.hpp"
#include "launch/host/output/output.hpp"
#include "library/host_interface.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

#include <gnu/libc-version.h>

namespace lisle::host {

namespace {

std::vector<std::string> list(char **words) {
    std::vector<std::string> strings;
    for (; *words != nullptr; ++words) {
        strings.emplace_back(*words);
    }
    return strings;
}

rank_list load_ranks(const closure &unit, const std::vector<std::string> &arguments, int count) {
    const private_references references(unit);
    rank_list ranks;
    for (int index = 0; index != count; ++index) {
        const auto &rank = ranks.emplace_back(
            std::make_unique<hosted_rank>(unit, index, lisle_host_first_rank() + index, arguments));
        if (index == 0) { // the libraries are there now, and all images are alike
            check_copied_variables(rank->code);
            check_replaced_functions(rank->code);
        }
        label_output(*rank);
        references.bind(*rank, rank->code);
    }
    return ranks;
}

/// LISLE_GDB=1: where each rank's image lies, as commands for gdb. Attached to the running process, gdb finds
/// the images by itself.
void tell_debugger(const rank_list &ranks) {
    const char *const wanted = std::getenv("LISLE_GDB");
    if (wanted == nullptr || std::string_view(wanted) != "1") {
        return;
    }
    for (const auto &each : ranks) {
        for (std::size_t i = 0; i != each->code.modules().size(); ++i) {
            std::fprintf(stderr, "lisle-host: rank %d: add-symbol-file %s -o %p\n", each->number,
                         each->code.unit().modules()[i].file->path().c_str(),
                         static_cast<void *>(each->code.modules()[i].base));
        }
    }
}

/// Throws if the program needs an executable stack, which a fiber has not, and which no thread gets for what
/// is loaded from version 2.41 of the C library on.
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

/// Throws if the program relies on having a thread to itself.
void check_for_fibers(const closure &unit) {
    for (const module &each : unit.modules()) {
        for (const std::string &path : each.shared) {
            const std::string name = path.substr(path.rfind('/') + 1);
            if (name.starts_with("libgomp.so") || name.starts_with("libomp.so") ||
                name.starts_with("libiomp5.so")) {
                throw refusal(unit.program().path() + " cannot run as fiber ranks: " + each.file->path() +
                              " uses OpenMP (" + name +
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

[[noreturn]] void run(char **words) {
    const std::vector<std::string> arguments = list(words + 1);
    if (arguments.empty()) {
        throw refusal("usage: lisle-host program [argument]...");
    }
    if (!architecture::block_in_place()) {
        throw refusal("lisle-host is linked with a thread-local object besides its own; it must not be");
    }
    const bool as_fibers = lisle_host_worker_count() != 0;
    kind_of_ranks = as_fibers ? "fiber" : "thread";
    static_cast<void>(in_child()); // notes this process's number
    const std::string path = find_program(arguments.front());
    check_for_wrapper(path);
    // Never destroyed: images refer to it, and threads that ranks left behind start others until the very
    // end.
    static closure &unit = *new closure(path, {}, {}, as_fibers);
    const program_file &program = unit.program();
    preload_sanitizer(program, words);
    check_stack(unit, as_fibers);
    if (as_fibers) {
        check_for_fibers(unit);
    }
    const int count = lisle_host_rank_count();
    check_mappings(unit, count);
    take_identity(program.path(), arguments.front());
    unit.prepare();
    route_output();
    lisle_host_before_sharing([] {
        if (hosted_rank *const rank = this_rank(); rank != nullptr) {
            share_output(*rank);
        }
    });
    watch_faults();
    const rank_list ranks = load_ranks(unit, arguments, count);
    tell_debugger(ranks);
    // Leaves here, with all in place.
    std::exit(run_ranks(ranks));
}

} // namespace

} // namespace lisle::host

int main(int, char **argv) {
    try {
        lisle::host::run(argv);
    } catch (const lisle::host::refusal &reason) {
        std::fprintf(stderr, "lisle-host: %s\n", reason.what());
        std::_Exit(reason.code());
    } catch (const std::exception &reason) {
        std::fprintf(stderr, "lisle-host: %s\n", reason.what());
        std::_Exit(1);
    }
}
