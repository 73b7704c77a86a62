// SPDX-License-Identifier: Apache-2.0
// The calls between which a rank is recorded.
#include "abi/call_place.hpp"
#include "report/recorder/call.hpp"

using namespace lisle::report;

namespace {

enum : std::uint32_t { init, init_thread, finalize, session_init }; // as in call_names.hpp

[[gnu::constructor]] void come() {
    tick_clock::begin();
    lisle_stands_between(reinterpret_cast<const void *>(&come), 1);
}

// For ranks that use sessions alone, and those that end without MPI_Finalize.
[[gnu::destructor]] void go() {
    recorder::own().finish();
    lisle_stands_between(reinterpret_cast<const void *>(&go), 0);
}

int began(std::uint32_t id, const call_site &from, std::uint64_t begin, int result) {
    recorder &own = recorder::own();
    if (result == MPI_SUCCESS && !own.is_on()) {
        own.start(begin, id != session_init);
        const std::scoped_lock guard{own.lock()};
        own.write_call(id, from, begin, now(), false);
    }
    return result;
}

} // namespace

extern "C" {

int MPI_Init(int *argc, char ***argv) {
    const std::uint64_t begin = now();
    return began(init, called_from(), begin, PMPI_Init(argc, argv));
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    const std::uint64_t begin = now();
    return began(init_thread, called_from(), begin, PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session) {
    const std::uint64_t begin = now();
    return began(session_init, called_from(), begin, PMPI_Session_init(info, errhandler, session));
}

int MPI_Finalize() {
    recorder &own = recorder::own();
    int result = MPI_SUCCESS;
    {
        call here{finalize, called_from()};
        const shared_group world = here ? own.group_of(MPI_COMM_WORLD) : nullptr;
        own.let_go();
        result = PMPI_Finalize();
        here.ended();
        here.takes_part(world, collective_shape::all_to_all, -1, {0, MPI_DATATYPE_NULL});
    }
    own.finish();
    return result;
}

int MPI_Pcontrol(const int level, ...) {
    recorder &own = recorder::own();
    if (own.is_on()) {
        const std::scoped_lock guard{own.lock()};
        own.phase(level);
    }
    return PMPI_Pcontrol(level);
}

} // extern "C"
