// SPDX-License-Identifier: Apache-2.0
// The calls between which a rank is recorded, and those that take time and do nothing else.
#include <string>

#include "abi/call_place.hpp"
#include "replay/recorder/noted_call.hpp"

using namespace lisle::replay;

namespace {

[[gnu::constructor]] void come() {
    lisle_stands_between(reinterpret_cast<const void *>(&come), 1);
}

// For ranks that end without MPI_Finalize.
[[gnu::destructor]] void go() {
    rank_record::own().finish();
    lisle_stands_between(reinterpret_cast<const void *>(&go), 0);
}

int began(int result) {
    if (result == MPI_SUCCESS) {
        rank_record::own().start();
    }
    return result;
}

void note_operation(noted_call &here, int commute, MPI_Op op) {
    here.number(commute);
    here.made(op);
}

} // namespace

extern "C" {

int MPI_Init(int *argc, char ***argv) {
    return began(PMPI_Init(argc, argv));
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    return began(PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Finalize() {
    {
        noted_call here{"MPI_Finalize"};
        (void)here.ended(MPI_SUCCESS);
    }
    rank_record::own().finish();
    return PMPI_Finalize();
}

double MPI_Wtime() {
    rank_record &own = rank_record::own();
    const bool noted = own.begin_call("MPI_Wtime");
    const double seconds = PMPI_Wtime();
    if (noted) {
        own.ended_call();
        own.write_reading();
        own.end_call();
    }
    return seconds;
}

int MPIX_Tile_compute(MPI_Count cycles) {
    rank_record &own = rank_record::own();
    const bool noted = own.begin_call("MPIX_Tile_compute");
    const int result = PMPIX_Tile_compute(cycles);
    if (noted) {
        own.ended_call();
        if (result == MPI_SUCCESS) {
            own.write_compute(cycles);
        }
        own.end_call();
    }
    return result;
}

int MPIX_Tile_access(const void *start, MPI_Count bytes, int writes) {
    rank_record &own = rank_record::own();
    const bool noted = own.begin_call("MPIX_Tile_access");
    const int result = PMPIX_Tile_access(start, bytes, writes);
    if (noted) {
        own.ended_call();
        if (result == MPI_SUCCESS) {
            own.write_access(start, bytes, writes != 0);
        }
        own.end_call();
    }
    return result;
}

// What an operation computes is not replayed, so all that commute alike are one.

int MPIX_Op_create_x(MPIX_User_function_x *user_fn, MPIX_Destructor_function *destructor_fn, int commute,
                     void *extra_state, MPI_Op *op) {
    noted_call here{"MPI_Op_create"};
    const int result = PMPIX_Op_create_x(user_fn, destructor_fn, commute, extra_state, op);
    if (here.ended(result)) {
        note_operation(here, commute, *op);
    }
    return result;
}

int MPIX_Op_create_in(void *memory, int bytes, MPIX_User_function_x *user_fn, int commute, void *extra_state,
                      MPI_Op *op) {
    noted_call here{"MPI_Op_create"};
    const int result = PMPIX_Op_create_in(memory, bytes, user_fn, commute, extra_state, op);
    if (here.ended(result)) {
        here.forget(*op); // of the one that was there before, and has ended by itself
        note_operation(here, commute, *op);
    }
    return result;
}

} // extern "C"
