// SPDX-License-Identifier: Apache-2.0
// One thread rank as the host sees it: its image, and the state that a process would have to itself but
// the C library keeps once for all. Lives until the process ends. The threads of the rank reach it through
// their notes (architecture.hpp); no other rank's thread ever does.
#pragma once

#include "launch/host/image/architecture.hpp"
#include "launch/host/image/image.hpp"
#include "launch/host/image/opened_libraries.hpp"
#include "launch/host/interpose/calendar.hpp"
#include "launch/host/interpose/environment.hpp"
#include "launch/host/interpose/hidden_state.hpp"
#include "launch/host/interpose/options.hpp"
#include "launch/host/interpose/random.hpp"
#include "launch/host/life/exit_list.hpp"
#include "launch/host/output/output.hpp"

#include <atomic>
#include <map>
#include <pthread.h>

struct lisle_rank;

namespace lisle::host {

struct hosted_rank {
    hosted_rank(const closure &unit, int which, int number_in_job, std::vector<std::string> words)
        : program(unit.program()), index(which), number(number_in_job), arguments(std::move(words)),
          code(unit) {}

    const program_file &program;
    int index;                          ///< among the ranks of this process
    int number;                         ///< in the job
    std::vector<std::string> arguments; ///< argv, which the program may write to
    image code;                         ///< of the program and its own libraries
    lisle_rank *rank = nullptr;         ///< the library's view; valid until the rank has ended
    opened_libraries opened;            ///< what it opens besides
    exit_list exits;                    ///< atexit and the destructors of static objects
    exit_list quick_exits;              ///< at_quick_exit
    /// The thread that ends the rank, 0 before; written once. Acquire-release: it sees what the others did.
    std::atomic<pthread_t> ended_by{};
    /// Threads of the rank that have not ended; the last one to end ends the rank (pthread_exit in main).
    /// Acquire-release, so that the last one sees what the others did.
    std::atomic<int> threads{1};

    output_stream out{1, default_buffering(1)};
    output_stream error{2, default_buffering(2)};
    std::FILE *own_output = out.file();
    std::FILE **standard_output = &own_output; ///< where the program has its variable `stdout`
    environment variables;
    option_state options;
    random_state random;
    calendar_state calendar;
    hidden_state hidden;
    /// Variables of libraries of which the rank has its own, by symbol.
    std::map<std::string_view, void *> private_objects;
    /// What dlerror is to say of the last dlopen, if it failed here. Only the thread that was refused asks.
    std::string refused_library;
    std::string dlerror_text; ///< what it said last

    /// Whether this is code or data of the rank's own copies.
    [[nodiscard]] bool owns(const void *address) const {
        return code.contains(address) || opened.owner_of(address) != nullptr;
    }
};

/// The calling thread's rank, or null.
[[nodiscard]] inline hosted_rank *this_rank() noexcept {
    return architecture::notes().rank;
}

} // namespace lisle::host
