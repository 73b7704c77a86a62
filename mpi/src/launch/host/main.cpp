// SPDX-License-Identifier: Apache-2.0
// lisle-host program argument...: runs the thread or fiber ranks of one process of a job, each with a private
// image of the program. The launcher starts it; how many ranks there are it learns from the library. Where
// ranks of several programs share the process, lisle-host --programs names each with its ranks and words
// (launch/common/hosted_programs.hpp).
#include "base/environment.hpp"
#include "base/settings.hpp"
#include "launch/common/hosted_programs.hpp"
#include "launch/common/rank_preload.hpp"
#include "launch/host/architecture/architecture.hpp"
#include "launch/host/architecture/pages.hpp"
#include "launch/host/image/debugger_view.hpp"
#include "launch/host/image/image_copies.hpp"
#include "launch/host/image/loaded_code.hpp"
#include "launch/host/image/preconditions.hpp"
#include "launch/host/image/private_object.hpp"
#include "launch/host/image/sanitizer.hpp"
#include "launch/host/interpose/identity.hpp"
#include "launch/host/life/allocator_limits.hpp"
#include "launch/host/life/faults.hpp"
#include "launch/host/life/life.hpp"
#include "launch/host/life/sanitizer_reports.hpp"
#include "launch/host/output/output.hpp"
#include "launch/host/rank/own_code.hpp"
#include "launch/host/rank/refusal.hpp"
#include "library/host_interface.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <unistd.h>

namespace lisle::host {

namespace {

std::vector<std::string> list(char **words) {
    std::vector<std::string> strings;
    for (; *words != nullptr; ++words) {
        strings.emplace_back(*words);
    }
    return strings;
}

/// A program of this process, and what its ranks are copies of.
struct loaded_program {
    launch::hosted_program called;
    closure *unit; ///< never destroyed: images refer to it, and threads that ranks left behind start others
                   ///< until the very end
};

/// @param words of the command line, behind the host's name
std::vector<launch::hosted_program> programs_of(const std::vector<std::string> &words) {
    try {
        return launch::hosted_programs(words, lisle_host_rank_count());
    } catch (const std::invalid_argument &why) {
        throw refusal(why.what());
    }
}

closure *unit_of(const launch::hosted_program &called, bool as_fibers) {
    const std::string path = find_program(called.words.front());
    check_for_wrapper(path);
    auto *const unit = new closure(path, {}, {}, as_fibers);
    check_for_sanitizer_inside(unit->program(), as_fibers);
    check_for_own_system_calls(*unit);
    check_stack(*unit, as_fibers);
    if (as_fibers) {
        check_for_fibers(*unit);
    }
    return unit;
}

/// Room for the images of the other ranks, if the loader is not to load them.
image_copies *copies_of(const image &first, int others) {
    const closure &unit = first.unit();
    if (others < image_copies::most_by_loader || !first.is_bound() || !image_copies::possible_for(unit)) {
        return nullptr;
    }
    return new image_copies(unit, first.modules(), static_cast<std::size_t>(others),
                            !has_mappings_for_copies(unit, others, lisle_host_worker_count() != 0));
}

void load_ranks(const loaded_program &program, int number, rank_list &ranks) {
    const closure &unit = *program.unit;
    const private_references references(unit);
    image_copies *copies = nullptr; // never destroyed, as the images
    const image *first = nullptr;
    for (int each = 0; each != program.called.ranks; ++each) {
        const auto index = static_cast<int>(ranks.size());
        const auto &rank = ranks.emplace_back(std::make_unique<hosted_rank>(
            index, lisle_host_first_rank() + index, number, program.called.words));
        note_program(*rank, unit.program().path());
        std::optional<image> &code = rank_code.of(*rank).program;
        const image &loaded = copies != nullptr ? code.emplace(*first, *copies) : code.emplace(unit);
        if (each == 0) { // the libraries are there now, and all images are alike
            check_copied_variables(loaded);
            check_replaced_functions(loaded);
            first = &loaded;
            copies = copies_of(loaded, program.called.ranks - 1);
        }
        label_output(*rank);
        references.bind(*rank, loaded);
    }
}

/// Ranks, and programs that they start, find LD_PRELOAD as the user has set it.
void show_preloaded() {
    if (const std::string of_ranks{environment_text(launch::rank_preload_variable)}; !of_ranks.empty()) {
        const std::string others{environment_text("LD_PRELOAD")};
        setenv("LD_PRELOAD", (of_ranks + (others.empty() ? "" : ":") + others).c_str(), 1);
        unsetenv(launch::rank_preload_variable);
    }
}

[[noreturn]] void run(char **words) {
    limit_arenas();
    if (!architecture::block_in_place()) {
        throw refusal("lisle-host is linked with a thread-local object besides its own; it must not be");
    }
    if (const long pages = sysconf(_SC_PAGESIZE); pages != static_cast<long>(page)) {
        throw refusal("this system has pages of " + std::to_string(pages) +
                      " bytes, images are made of pages of " + std::to_string(page) +
                      "; run the program as processes: --ranks process");
    }
    const std::vector<std::string> said = list(words + 1);
    if (const std::string first = launch::first_program(said); !first.empty()) {
        // Before the library is asked for anything: it keeps the job's table from what is started then.
        preload_sanitizer(find_program(first), words);
    }
    const std::vector<launch::hosted_program> called = programs_of(said);
    const bool as_fibers = lisle_host_worker_count() != 0;
    kind_of_ranks = as_fibers ? "fiber" : "thread";
    static_cast<void>(host_process()); // notes this process's number
    note_own_code();
    std::vector<loaded_program> programs;
    for (const launch::hosted_program &each : called) {
        programs.push_back({each, unit_of(each, as_fibers)});
        check_mappings(*programs.back().unit, each.ranks, as_fibers);
    }
    take_identity(called.front().words.front());
    for (const loaded_program &each : programs) {
        each.unit->prepare();
    }
    route_output();
    lisle_host_before_sharing([] {
        if (hosted_rank *const rank = this_rank(); rank != nullptr) {
            share_output(*rank);
        }
    });
    watch_faults();
    name_ranks_in_reports();
    show_preloaded();
    rank_list ranks;
    for (std::size_t number = 0; number != programs.size(); ++number) {
        load_ranks(programs[number], static_cast<int>(number), ranks);
    }
    show_images_to_debugger();
    const int status = run_ranks(ranks);
    look_for_leaks(ranks);
    std::exit(status); // here, with all in place
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
