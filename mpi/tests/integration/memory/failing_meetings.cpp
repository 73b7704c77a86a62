// SPDX-License-Identifier: Apache-2.0
// The same as failing_together.cpp for calls that make a communicator with another job, or of threads. The
// other job is this program again: in one part it calls what the first job tells it, in lockstep; in another
// one it connects to a port again and again.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "starving.hpp"

using starving::call_with, starving::class_of, starving::exhaust, starving::ranks, starving::scenario,
    starving::wrong;

namespace {

enum operation : int { connect_groups, merge, duplicate, end };

/// What the first job tells the other one.
struct command {
    int what;
    int class_before; ///< how the last operation went there
};

/// How many allocations apart those are that fail where each round starts a job.
constexpr long between_spawns = 7;

/// Two jobs that have a communicator, and one more with the ranks of both.
struct jobs {
    MPI_Comm between;
    MPI_Comm both = MPI_COMM_NULL;
    int remote_leader = 0;

    [[nodiscard]] int carry_out(int what, MPI_Comm *made) const {
        switch (what) {
        case connect_groups:
            return MPI_Intercomm_create(MPI_COMM_WORLD, 0, both, remote_leader, 5, made);
        case merge:
            return MPI_Intercomm_merge(between, remote_leader != 0 ? 0 : 1, made);
        default:
            return MPI_Comm_dup(between, made);
        }
    }
};

jobs meet(MPI_Comm between, bool is_first) {
    jobs made{.between = between};
    MPI_Intercomm_merge(between, is_first ? 0 : 1, &made.both);
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    made.remote_leader = is_first ? size : 0;
    MPI_Comm_set_errhandler(made.between, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(made.both, MPI_ERRORS_RETURN);
    return made;
}

/// The other job, in lockstep.
void obey(const ranks &here, MPI_Comm parents) {
    jobs known = meet(parents, false);
    int latest = MPI_SUCCESS;
    for (;;) {
        command told{};
        MPI_Bcast(&told, 2, MPI_INT, 0, parents);
        if (told.class_before != latest) {
            std::fprintf(stderr, "the other job ends with error class %d, rank %d of this one with %d\n",
                         told.class_before, here.self, latest);
            ++wrong;
        }
        if (told.what == end) {
            break;
        }
        MPI_Comm made = MPI_COMM_NULL;
        const int code = known.carry_out(told.what, &made);
        latest = class_of(code);
        if (latest != MPI_SUCCESS && latest != MPI_ERR_NO_MEM) {
            starving::complain_of(code);
        }
        if (made != MPI_COMM_NULL) {
            MPI_Comm_free(&made);
        }
    }
    MPI_Comm_free(&known.both);
    MPI_Comm_disconnect(&parents);
}

/// The other job as a stranger. A call that the other side has no memory for fails here, too.
void connect_until_told(const char *port, MPI_Comm parents) {
    int nothing = 0, told = 0;
    MPI_Request stop = MPI_REQUEST_NULL;
    MPI_Ibcast(&nothing, 1, MPI_INT, 0, parents, &stop);
    while (told == 0) {
        MPI_Comm server = MPI_COMM_NULL;
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &server);
        if (server != MPI_COMM_NULL) {
            MPI_Comm_disconnect(&server);
        }
        MPI_Test(&stop, &told, MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, &told, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Wait(&stop, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&parents);
}

MPI_Comm start(char *program, const char *part, const char *argument, int count) {
    std::array<std::string, 2> words{part, argument};
    std::array<char *, 3> arguments{words[0].data(), words[1].data(), nullptr};
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_spawn(program, arguments.data(), count, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made,
                   MPI_ERRCODES_IGNORE);
    return made;
}

long exhaust_all(const scenario &about, const ranks &here, long step = 1) {
    bool failed = false;
    call_with(about, here, 0, 0, failed); // what is kept from the first time on is no longer allocated
    long failures = 0;
    for (int poor = 0; poor < here.size; ++poor) {
        failures += exhaust(about, here, poor, step);
    }
    if (here.self == 0) {
        std::printf("%s: failed %ld times\n", about.name, failures);
        std::fflush(stdout);
    }
    return failures;
}

/// With a job that does the same.
long test_lockstep(const ranks &here, char *program) {
    jobs known = meet(start(program, "obey", "", 2), true);
    MPI_Comm made = MPI_COMM_NULL;
    command next{end, MPI_SUCCESS};
    const int root = here.self == 0 ? MPI_ROOT : MPI_PROC_NULL;
    long failures = 0;
    const std::array<const char *, end> names{"MPI_Intercomm_create of two jobs",
                                              "MPI_Intercomm_merge of two jobs", "MPI_Comm_dup of two jobs"};
    for (int what = 0; what != end; ++what) {
        const scenario about{names[static_cast<std::size_t>(what)],
                             [&] {
                                 next.what = what;
                                 const long failing = counted_pause();
                                 MPI_Bcast(&next, 2, MPI_INT, root, known.between);
                                 counted_begin(failing);
                                 const int code = known.carry_out(what, &made);
                                 next.class_before = class_of(code);
                                 return code;
                             },
                             [&] { return MPI_Comm_free(&made); }};
        failures += exhaust_all(about, here);
    }
    next.what = end;
    MPI_Bcast(&next, 2, MPI_INT, root, known.between);
    MPI_Comm_free(&known.both);
    MPI_Comm_disconnect(&known.between);
    return failures;
}

long test_accept(const ranks &here, char *program) {
    char port[MPI_MAX_PORT_NAME]{};
    if (here.self == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
    }
    MPI_Comm strangers = start(program, "connect", port, 2), client = MPI_COMM_NULL;
    const long failures = exhaust_all(
        {"MPI_Comm_accept", [&] { return MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &client); },
         [&] { return MPI_Comm_disconnect(&client); }},
        here);
    int nothing = 0;
    MPI_Bcast(&nothing, 1, MPI_INT, here.self == 0 ? MPI_ROOT : MPI_PROC_NULL, strangers);
    if (here.self == 0) {
        MPI_Close_port(port);
    }
    MPI_Comm_disconnect(&strangers);
    return failures;
}

long test_spawn(const ranks &here, char *program) {
    MPI_Comm child = MPI_COMM_NULL;
    std::string part = "leave";
    std::array<char *, 2> arguments{part.data(), nullptr};
    return exhaust_all({"MPI_Comm_spawn",
                        [&] {
                            return MPI_Comm_spawn(program, arguments.data(), 1, MPI_INFO_NULL, 0,
                                                  MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
                        },
                        [&] { return MPI_Comm_disconnect(&child); }},
                       here, between_spawns);
}

long test_threads(const ranks &here) {
    MPI_Comm threads = MPI_COMM_NULL;
    return exhaust_all({"MPIX_Threadcomm_init",
                        [&] {
                            int code = MPIX_Threadcomm_init(MPI_COMM_WORLD, 1, &threads);
                            if (code == MPI_SUCCESS &&
                                (code = MPIX_Threadcomm_start(threads)) == MPI_SUCCESS) {
                                code = MPIX_Threadcomm_finish(threads);
                            }
                            return code;
                        },
                        [&] { return MPIX_Threadcomm_free(&threads); }},
                       here);
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    ranks here;
    MPI_Comm_rank(MPI_COMM_WORLD, &here.self);
    MPI_Comm_size(MPI_COMM_WORLD, &here.size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const auto is_part = [&](const char *name) { return argc > 1 && std::strcmp(argv[1], name) == 0; };
    MPI_Comm parents = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parents);
    if (parents == MPI_COMM_NULL) {
        const long failures = is_part("spawn")    ? test_spawn(here, argv[0])
                              : is_part("accept") ? test_accept(here, argv[0])
                                                  : test_lockstep(here, argv[0]) + test_threads(here);
        if (failures < here.size) {
            std::fprintf(stderr, "only %ld calls have failed: allocations do not fail as they should\n",
                         failures);
            ++wrong;
        }
    } else if (is_part("obey")) {
        obey(here, parents);
    } else if (is_part("connect")) {
        connect_until_told(argv[2], parents);
    } else {
        MPI_Comm_disconnect(&parents);
    }
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
