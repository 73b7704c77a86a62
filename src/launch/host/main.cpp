// SPDX-License-Identifier: Apache-2.0
// lisle-host program argument...: runs the thread or fiber ranks of one process of a job, each with a private
// image of the program. The launcher starts it; how many ranks there are it learns from the library.
#include "launch/host/architecture.hpp"
#include "launch/host/faults.hpp"
#include "launch/host/identity.hpp"
#include "launch/host/life.hpp"
#include "launch/host/limits.hpp"
#include "launch/host/output.hpp"
#include "launch/host/private_object.hpp"
#include "launch/host/refusal.hpp"
#include "launch/host/sanitizer.hpp"
#include "runtime/host_interface.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace lisle::host {

namespace {

std::vector<std::string> list(char **words) {
    std::vector<std::string> strings;
    for (; *words != nullptr; ++words) {
        strings.emplace_back(*words);
    }
    return strings;
}

rank_list load_ranks(const program_file &program, const std::vector<std::string> &arguments, int count) {
    rank_list ranks;
    for (int index = 0; index != count; ++index) {
        const auto &rank = ranks.emplace_back(
            std::make_unique<hosted_rank>(program, index, lisle_host_first_rank() + index, arguments));
        if (index == 0) { // the libraries are there now, and all images are alike
            check_copied_variables(program, rank->code);
            check_replaced_functions(program, rank->code);
        }
        label_output(*rank);
        bind_private_objects(*rank);
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
        std::fprintf(stderr, "lisle-host: rank %d: add-symbol-file %s -o %p\n", each->number,
                     each->program.path().c_str(), static_cast<void *>(each->code.base()));
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
    const program_file program(find_program(arguments.front()));
    preload_sanitizer(program, words);
    const thread_local_image &variables = program.thread_locals();
    if (variables.memory_size > architecture::thread_local_room ||
        variables.alignment > architecture::thread_local_alignment) {
        refuse_threads(program.path(), "its thread-local variables take " +
                                           std::to_string(variables.memory_size) + " bytes (aligned to " +
                                           std::to_string(variables.alignment) + "), the limit is " +
                                           std::to_string(architecture::thread_local_room) + " (" +
                                           std::to_string(architecture::thread_local_alignment) + ")");
    }
    if (lisle_host_worker_count() != 0 && variables.memory_size != 0) {
        throw refusal(program.path() + " cannot run as fiber ranks: it has thread-local variables (" +
                      std::to_string(variables.memory_size) +
                      " bytes), which fibers on one thread would share; run it as threads: --ranks thread");
    }
    const int count = lisle_host_rank_count();
    check_mappings(program, count);
    take_identity(program.path(), arguments.front());
    load_neighbour_libraries(program);
    route_output();
    watch_faults();
    const rank_list ranks = load_ranks(program, arguments, count);
    tell_debugger(ranks);
    // Leaves here, with all in place: threads that ranks left behind run until the very end.
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
