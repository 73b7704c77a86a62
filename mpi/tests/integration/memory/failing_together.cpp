// SPDX-License-Identifier: Apache-2.0
// Lets each allocation of a collective call fail once at each rank in turn: then the call fails at all ranks
// with MPI_ERR_NO_MEM, or at none, and the next one works. No rank is left waiting. To be started with
// counted_allocations loaded first. (Fibers of one thread are counted together, so there it is chance whose
// fails.)
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "starving.hpp"

using starving::call_with, starving::exhaust, starving::ranks, starving::scenario, starving::wrong;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    ranks here;
    MPI_Comm_rank(MPI_COMM_WORLD, &here.self);
    MPI_Comm_size(MPI_COMM_WORLD, &here.size);

    MPI_Comm made = MPI_COMM_NULL, half = MPI_COMM_NULL, grid = MPI_COMM_NULL, bridge = MPI_COMM_NULL;
    MPI_Win window = MPI_WIN_NULL;
    MPI_File file = MPI_FILE_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Group world = MPI_GROUP_NULL;
    void *base = nullptr;
    int variable[4]{};
    const int side = here.self % 2;
    const int next = (here.self + 1) % here.size, before = (here.self + here.size - 1) % here.size;
    const int dims[] = {here.size, 1}, periods[] = {1, 0}, one = 1, kept[] = {1, 0};
    std::string name = "failing_together_file_" + std::to_string(here.size);
    name += argc > 1 ? argv[1] : "";
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    if (here.size > 1) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 7, &bridge);
        MPI_Comm_set_errhandler(bridge, MPI_ERRORS_RETURN);
    }
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    const auto free_comm = [&] { return made != MPI_COMM_NULL ? MPI_Comm_free(&made) : MPI_SUCCESS; };
    const auto free_window = [&] { return MPI_Win_free(&window); };
    const auto close = [&] { return MPI_File_close(&file); };
    const auto nothing = [] { return MPI_SUCCESS; };
    const auto open = [&] {
        return MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                             &file);
    };
    MPI_File seen = MPI_FILE_NULL;
    const scenario scenarios[] = {
        {"MPI_Comm_dup", [&] { return MPI_Comm_dup(MPI_COMM_WORLD, &made); }, free_comm},
        {"MPI_Comm_idup",
         [&] {
             const int begun = MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
             const int ended = begun == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : begun;
             if (begun == MPI_SUCCESS && ended != MPI_SUCCESS) {
                 MPI_Comm_free(&made);
             }
             return ended;
         },
         free_comm},
        {"MPI_Comm_split", [&] { return MPI_Comm_split(MPI_COMM_WORLD, side, -here.self, &made); },
         free_comm},
        {"MPI_Comm_split_type",
         [&] { return MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made); },
         free_comm},
        {"MPI_Comm_create", [&] { return MPI_Comm_create(MPI_COMM_WORLD, world, &made); }, free_comm},
        {"MPI_Comm_create_group", [&] { return MPI_Comm_create_group(MPI_COMM_WORLD, world, 3, &made); },
         free_comm},
        {"MPI_Comm_create_from_group",
         [&] { return MPI_Comm_create_from_group(world, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made); },
         free_comm},
        {"MPI_Cart_create", [&] { return MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &made); },
         free_comm},
        {"MPI_Cart_sub", [&] { return MPI_Cart_sub(grid, kept, &made); }, free_comm},
        {"MPI_Dist_graph_create",
         [&] {
             return MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &here.self, &one, &next, MPI_UNWEIGHTED,
                                          MPI_INFO_NULL, 1, &made);
         },
         free_comm},
        {"MPI_Dist_graph_create_adjacent",
         [&] {
             return MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
                                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &made);
         },
         free_comm},
        {"MPI_Intercomm_create",
         [&] {
             return here.size > 1 ? MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 8, &made)
                                  : MPI_SUCCESS;
         },
         free_comm},
        {"MPI_Intercomm_merge",
         [&] { return here.size > 1 ? MPI_Intercomm_merge(bridge, side, &made) : MPI_SUCCESS; }, free_comm},
        {"MPI_Comm_dup of an inter-communicator",
         [&] { return here.size > 1 ? MPI_Comm_dup(bridge, &made) : MPI_SUCCESS; }, free_comm},
        {"MPI_Comm_split of an inter-communicator",
         [&] { return here.size > 1 ? MPI_Comm_split(bridge, 0, 0, &made) : MPI_SUCCESS; }, free_comm},
        {"MPI_Win_create",
         [&] {
             return MPI_Win_create(variable, sizeof variable, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                                   &window);
         },
         free_window},
        {"MPI_Win_allocate",
         [&] { return MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window); }, free_window},
        {"MPI_Win_create_dynamic",
         [&] { return MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window); }, free_window},
        {"MPI_File_open", open, close},
        {"MPI_File_set_view",
         [&] { return MPI_File_set_view(seen, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL); }, nothing},
    };
    open();
    seen = file;
    long failures = 0;
    for (const scenario &each : scenarios) {
        if (argc > 2 && std::strcmp(argv[2], each.name) != 0) {
            continue;
        }
        bool failed = false;
        call_with(each, here, 0, 0, failed); // what is kept from the first time on is no longer allocated
        long of_this = 0;
        for (int poor = 0; poor < here.size; ++poor) {
            of_this += exhaust(each, here, poor);
        }
        if (here.self == 0) {
            std::printf("%s: failed %ld times\n", each.name, of_this);
            std::fflush(stdout);
        }
        failures += of_this;
    }
    MPI_File_close(&seen);
    if (here.self == 0) {
        MPI_File_delete(name.c_str(), MPI_INFO_NULL);
    }
    MPI_Group_free(&world);
    MPI_Comm_free(&half);
    MPI_Comm_free(&grid);
    if (bridge != MPI_COMM_NULL) {
        MPI_Comm_free(&bridge);
    }
    MPI_Finalize();
    if (argc <= 2 && failures < 50) {
        std::fprintf(stderr, "only %ld calls have failed: allocations do not fail as they should\n",
                     failures);
        ++wrong;
    }
    return wrong == 0 ? 0 : 1;
}
