// SPDX-License-Identifier: Apache-2.0
#include "api/init.hpp"

#include "abi/entry.hpp"
#include "abi/file_codes.hpp"
#include "abi/handle_watch.hpp"
#include "abi/mistakes.hpp"
#include "abi/thread_watch.hpp"
#include "abi/unreceived.hpp"

#include <algorithm>
#include <cstdio>
#include <pthread.h>
#include <unistd.h>

#include "api/pending_buffers.hpp"
#include "base/checks.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/settings.hpp"
#include "collective/selection/selection.hpp"
#include "communicator/agreement.hpp"
#include "communicator/predefined.hpp"
#include "communicator/recovery.hpp"
#include "datatype/predefined.hpp"
#include "dynamic/parents.hpp"
#include "execution/observed_memory.hpp"
#include "execution/rank_local.hpp"
#include "execution/usable_cores.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/send_buffer.hpp"
#include "protocol/tracks.hpp"
#include "protocol/wait.hpp"
#include "rma/synchronization.hpp"
#include "world/fault_note.hpp"
#include "world/job.hpp"
#include "world/process_record.hpp"

namespace lisle::api {

namespace {

struct initial_thread {
    pthread_t id{};
};
const rank_local<initial_thread> main_thread;

void log_launch(const rank &self, std::string_view what) {
    if (logs(log_area::launch)) {
        log_line(log_area::launch, self.number(), what);
    }
}

/// Nobody leaves before all have come [MPI-5.0 11.2.2], but those that have failed.
void meet_before_leaving(communicator &world) {
    try {
        meet_all(world.channel(message_space::departure), 0);
    } catch (const std::exception &) {
        meet_survivors(world);
    }
}

/// Every rank of a job must say the same: only one that is alone may count its own processors.
int universe_size_of(const job &whole) {
    const auto wanted = static_cast<int>(value_of(setting::universe_size));
    const int others = whole.size() == 1 && wanted == 0 ? usable_cores() : wanted;
    return std::max(whole.size(), others);
}

/// What the process whose rank is the first says of its settings.
void report_settings() {
    static const bool once = [] { // a process may hold jobs in a row
        std::fputs(unknown_variables(environ).c_str(), stderr);
        return true;
    }();
    static_cast<void>(once);
    if (value_of(setting::show) != 0) {
        std::fputs(collective::describe_selection().c_str(), stderr);
    }
}

} // namespace

void init_thread(int *, char ***, int required, int *provided) {
    rank &self = this_rank();
    if (self.phase.load(std::memory_order_relaxed) != world_phase::before_init) {
        fail(MPI_ERR_OTHER, "MPI was initialized before: the world model begins once in a program");
    }
    if (required < MPI_THREAD_SINGLE || (required > MPI_THREAD_MULTIPLE && required != MPIX_THREAD_AS_RANK)) {
        fail(MPI_ERR_ARG, "the level ", required,
             " is none of MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE, and not MPIX_THREAD_AS_RANK");
    }
    if (required == MPIX_THREAD_AS_RANK && self.get_job().rank_count() == 1) {
        required = MPI_THREAD_MULTIPLE; // a thread of this process can be nothing but a part of its one rank
    }
    if (self.get_job().clock().simulated()) {
        required = std::min(required, MPI_THREAD_FUNNELED); // a modelled core runs one thread
    }
    self.tracks().begin_service();
    create_world({.size = self.get_job().size(),
                  .universe_size = universe_size_of(self.get_job()),
                  .program_number = own_record().program + self.program});
    main_thread->id = pthread_self();
    // Every level is there otherwise; one that was not asked for would cost the others something.
    self.thread_level = required;
    if (required >= MPI_THREAD_MULTIPLE) {
        self.several_call.store(true, std::memory_order_relaxed);
    }
    *provided = required;
    if (self.models_in_use.load(std::memory_order_relaxed) == 0) { // sessions may have threads of their own
        // Where ranks share a process, those of one may take turns and still meet those of another. What a
        // program promised is not relied upon while it is looked at.
        self.engine().expect_one_thread(
            required == MPI_THREAD_SINGLE ||
            (!checks(check_level::cheap) &&
             (required < MPI_THREAD_SERIALIZED || self.get_job().rank_count() == 1) &&
             required < MPI_THREAD_MULTIPLE));
    }
    if (required == MPI_THREAD_MULTIPLE) {
        self.tracks().spread();
    }
    note_faults_of(self.get_job().start(), self.number());
    self.get_job().start().report(self.number(), rank_progress::initialized);
    log_launch(self, "MPI begins");
    self.models_in_use.fetch_add(1, std::memory_order_relaxed);
    if (self.number() == 0) {
        report_settings();
    }
    self.phase.store(world_phase::initialized, std::memory_order_release);
    abi::watch_threads(self);
    observed->listen();
    dynamic::meet_parents();
}

void init(int *argc, char ***argv) {
    int provided = 0;
    init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}

namespace {

world_phase phase_of_caller() {
    const rank *const self = rank_if_any();
    return self != nullptr ? self->phase.load(std::memory_order_acquire) : world_phase::before_init;
}

} // namespace

void initialized(int *flag) {
    *flag = phase_of_caller() != world_phase::before_init ? 1 : 0;
}

void finalized(int *flag) {
    *flag = phase_of_caller() == world_phase::finalized ? 1 : 0;
}

void finalize() {
    rank &self = this_rank();
    if (const auto phase = self.phase.load(std::memory_order_relaxed); phase != world_phase::initialized) {
        abi::fail_not_running(phase); // a session alone is not the world model
    }
    if (checks(check_level::cheap) && pthread_equal(main_thread->id, pthread_self()) == 0) {
        abi::report_mistake(sentence(abi::in_words(abi::current_call()),
                                     " is called by another thread than the one that called MPI_Init"));
    }
    delete_world_attributes();
    abi::report_open_handles(self, "MPI_Finalize"); // after callbacks that may free some
    protocol::rank_send_buffer().reset();
    meet_before_leaving(*predefined->world);
    protocol::wait_until(self, [&self] { return self.tracks().drained(); });
    abi::report_unreceived(self);
    if (abi::pending_buffers::watched()) {
        abi::pending->report_wildcards();
        abi::rank_file_codes->report();
    }
    for (const auto &fabric : self.engine().routes().fabrics()) {
        fabric->leave(self.number());
    }
    destroy_world();
    self.phase.store(world_phase::finalized, std::memory_order_release);
    if (self.models_in_use.fetch_sub(1, std::memory_order_relaxed) == 1) {
        self.tracks().end_service();
        rma::leave(self);
    }
    self.get_job().start().report(self.number(), rank_progress::finalized);
    log_launch(self, "MPI has ended");
}

void query_thread(int *provided) {
    *provided = this_rank().thread_level;
}

void is_thread_main(int *flag) {
    *flag = pthread_equal(main_thread->id, pthread_self()) != 0 ? 1 : 0;
}

void abort(communicator &, int errorcode) {
    const rank &self = this_rank();
    if (!self.get_job().start().reports_ends()) { // otherwise the launcher says so, once
        std::fprintf(stderr, "lisle: rank %d called MPI_Abort with code %d\n", self.number(), errorcode);
    }
    abort_job(errorcode, abort_cause::called);
}

} // namespace lisle::api
