// SPDX-License-Identifier: Apache-2.0
#include "abi/init.hpp"

#include <cstdio>
#include <pthread.h>

#include "communicator/agreement.hpp"
#include "communicator/predefined.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/send_buffer.hpp"
#include "runtime/error.hpp"
#include "runtime/fault_note.hpp"
#include "runtime/job.hpp"
#include "runtime/rank_local.hpp"

namespace lisle::api {

namespace {

struct initial_thread {
    pthread_t id{};
};
const rank_local<initial_thread> main_thread;

std::vector<std::string> arguments_of(const int *argc, char ***argv) {
    if (argc == nullptr || argv == nullptr || *argv == nullptr) {
        return {};
    }
    return {*argv, *argv + *argc};
}

} // namespace

void init_thread(int *argc, char ***argv, int required, int *provided) {
    rank &self = this_rank();
    if (self.phase.load(std::memory_order_relaxed) != world_phase::before_init) {
        fail(MPI_ERR_OTHER, "MPI was initialized before: the world model begins once in a program");
    }
    if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE) {
        fail(MPI_ERR_ARG, "the level ", required, " is none of MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE");
    }
    create_world({.size = self.get_job().size(), .arguments = arguments_of(argc, argv)});
    main_thread->id = pthread_self();
    // Any thread may call at any time, whatever was asked for.
    self.thread_level = MPI_THREAD_MULTIPLE;
    *provided = MPI_THREAD_MULTIPLE;
    note_faults_of(self.get_job(), self.number());
    self.get_job().segment().advance(self.number(), rank_progress::initialized);
    self.phase.store(world_phase::initialized, std::memory_order_release);
}

void init(int *argc, char ***argv) {
    int provided = 0;
    init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}

void initialized(int *flag) {
    *flag = this_rank().phase.load(std::memory_order_acquire) != world_phase::before_init ? 1 : 0;
}

void finalized(int *flag) {
    *flag = this_rank().phase.load(std::memory_order_acquire) == world_phase::finalized ? 1 : 0;
}

void finalize() {
    rank &self = this_rank();
    delete_world_attributes();
    protocol::rank_send_buffer().reset();
    // Nobody leaves before all have come [MPI-5.0 11.2.2].
    meet_all(predefined->world->channel(message_space::agreement), 0);
    protocol::wait_until(self, [&self] { return self.engine().drained(); });
    destroy_world();
    self.phase.store(world_phase::finalized, std::memory_order_release);
    self.get_job().segment().advance(self.number(), rank_progress::finalized);
}

void query_thread(int *provided) {
    *provided = this_rank().thread_level;
}

void is_thread_main(int *flag) {
    *flag = pthread_equal(main_thread->id, pthread_self()) != 0 ? 1 : 0;
}

void abort(communicator &, int errorcode) {
    const rank &self = this_rank();
    if (!self.get_job().launched()) { // otherwise the launcher says so, once
        std::fprintf(stderr, "lisle: rank %d called MPI_Abort with code %d\n", self.number(), errorcode);
    }
    abort_job(errorcode);
}

} // namespace lisle::api
