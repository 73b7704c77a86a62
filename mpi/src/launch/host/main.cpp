// SPDX-License-Identifier: Apache-2.0
// lisle-host program argument...: runs the thread or fiber ranks of one process of a job, each with a private
// image of the program. The launcher starts it; how many ranks there are it learns from the library.
#include "base/settings.hpp"
#include "launch/host/architecture/architecture.hpp"
#include "launch/host/image/loaded_code.hpp"
#include "launch/host/image/preconditions.hpp"
#include "launch/host/image/private_object.hpp"
#include "launch/host/image/sanitizer.hpp"
#include "launch/host/interpose/identity.hpp"
#include "launch/host/life/faults.hpp"
#include "launch/host/life/life.hpp"
#include "launch/host/output/output.hpp"
#include "launch/host/rank/own_code.hpp"
#include "launch/host/rank/refusal.hpp"
#include "library/host_interface.h"

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

rank_list load_ranks(const closure &unit, const std::vector<std::string> &arguments, int count) {
    const private_references references(unit);
    rank_list ranks;
    for (int index = 0; index != count; ++index) {
        const auto &rank = ranks.emplace_back(
            std::make_unique<hosted_rank>(index, lisle_host_first_rank() + index, arguments));
        const image &loaded = rank_code.of(*rank).program.emplace(unit);
        if (index == 0) { // the libraries are there now, and all images are alike
            check_copied_variables(loaded);
            check_replaced_functions(loaded);
        }
        label_output(*rank);
        references.bind(*rank, loaded);
    }
    return ranks;
}

/// With LISLE_GDB=on: where each rank's image lies, as commands for gdb. Attached to the running process, gdb
/// finds the images by itself.
void tell_debugger(const rank_list &ranks) {
    if (value_of(setting::gdb) == 0) {
        return;
    }
    for (const auto &each : ranks) {
        const image &loaded = image_of(*each);
        for (std::size_t i = 0; i != loaded.modules().size(); ++i) {
            std::fprintf(stderr, "lisle-host: rank %d: add-symbol-file %s -o %p\n", each->number,
                         loaded.unit().modules()[i].file->path().c_str(),
                         static_cast<void *>(loaded.modules()[i].base));
        }
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
    note_own_code();
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
        lisle::leave_reports_to_ranks();
        lisle::host::run(argv);
    } catch (const lisle::host::refusal &reason) {
        std::fprintf(stderr, "lisle-host: %s\n", reason.what());
        std::_Exit(reason.code());
    } catch (const std::exception &reason) {
        std::fprintf(stderr, "lisle-host: %s\n", reason.what());
        std::_Exit(1);
    }
}
