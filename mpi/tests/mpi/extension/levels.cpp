// SPDX-License-Identifier: Apache-2.0
// The thread levels beyond the standard's: their order, what is provided of them where ranks have processes
// of their own and where they share one, in the world model and in sessions; and what each of them allows.
// Use: levels <level> process|thread|fiber
#include <mpi.h>

#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

/// What a session that asked for this level says.
std::string level_of_session(const char *wanted) {
    MPI_Info hints = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&hints));
    CHECK_MPI(MPI_Info_set(hints, "thread_level", wanted));
    MPI_Session session = MPI_SESSION_NULL;
    CHECK_MPI(MPI_Session_init(hints, MPI_ERRORS_RETURN, &session));
    CHECK_MPI(MPI_Info_free(&hints));
    MPI_Info facts = MPI_INFO_NULL;
    CHECK_MPI(MPI_Session_get_info(session, &facts));
    char level[64] = "";
    int length = sizeof level;
    int there = 0;
    CHECK_MPI(MPI_Info_get_string(facts, "thread_level", &length, level, &there));
    CHECK_MPI(MPI_Info_free(&facts));
    CHECK_MPI(MPI_Session_finalize(&session));
    return there != 0 ? level : "";
}

/// A message round the ring with this tag.
void go_round(int tag) {
    int rank = 0;
    int size = 0;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
    const int previous = (rank + size - 1) % size;
    for (int i = 0; i < 200; ++i) {
        int value = rank * 1000 + tag * 100 + i % 100;
        CHECK_MPI(MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, tag, previous, tag,
                                       MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(value, previous * 1000 + tag * 100 + i % 100);
    }
}

} // namespace

int main(int argc, char **argv) {
    CHECK_EQ(argc, 3);
    static_assert(MPI_THREAD_SERIALIZED < MPIX_THREAD_FILTERED &&
                  MPIX_THREAD_FILTERED < MPI_THREAD_MULTIPLE && MPI_THREAD_MULTIPLE < MPIX_THREAD_AS_RANK);
    const std::string wanted = argv[1];
    const std::string kind = argv[2];
    const bool together = kind != "process";
    const int required = wanted == "MPIX_THREAD_AS_RANK"    ? MPIX_THREAD_AS_RANK
                         : wanted == "MPIX_THREAD_FILTERED" ? MPIX_THREAD_FILTERED
                                                            : MPI_THREAD_SERIALIZED;
    const int expected = required == MPIX_THREAD_AS_RANK && !together ? MPI_THREAD_MULTIPLE : required;
    int provided = -1;
    CHECK_MPI(MPI_Init_thread(&argc, &argv, required, &provided));
    CHECK_EQ(provided, expected);
    int told = -1;
    CHECK_MPI(MPI_Query_thread(&told));
    CHECK_EQ(told, expected);
    CHECK_EQ(level_of_session(wanted.c_str()),
             std::string{required == MPIX_THREAD_AS_RANK && together ? "MPIX_THREAD_AS_RANK"
                                                                     : "MPI_THREAD_MULTIPLE"});
    go_round(0);
    // Several threads, each with a tag of its own; a fiber that waits for them would hold up its worker.
    if (required == MPIX_THREAD_FILTERED && kind != "fiber") {
        std::vector<std::thread> threads;
        for (int tag = 1; tag < 4; ++tag)
            threads.emplace_back(go_round, tag);
        for (std::thread &each : threads)
            each.join();
    }
    CHECK_MPI(MPI_Finalize());
}
