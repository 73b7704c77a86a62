// SPDX-License-Identifier: Apache-2.0
// A rank is killed while it waits for an exclusive lock that another rank shares: readers that waited behind
// it get the lock at once, though the holder keeps it. Jobs of processes of two ranks each, with recovery:
// ranks 0 and 1 are the reader and the target, rank 2 the holder, and of each process from the third on one
// rank waits for the lock while the other one kills both.
#include "window.hpp"

#include <csignal>
#include <ctime>

namespace {

enum tag { about_to_wait, has_lock, next_round };

void pause_for(long milliseconds) {
    const timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
    nanosleep(&time, nullptr);
}

void say(int to, tag what) {
    CHECK_MPI(MPI_Send(nullptr, 0, MPI_INT, to, what, MPI_COMM_WORLD));
}
void hear(int from, tag what) {
    CHECK_MPI(MPI_Recv(nullptr, 0, MPI_INT, from, what, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/// The ranks of a process that is lost, in its round.
[[noreturn]] void wait_and_die(const check::job &job, MPI_Win window) {
    if (job.rank % 2 != 0) {
        say(0, about_to_wait);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window); // in vain
    }
    pause_for(400); // by then the reader waits, too
    std::raise(SIGKILL);
    std::abort();
}

void read_behind(int writer, MPI_Win window) {
    hear(writer, about_to_wait);
    pause_for(100);
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window));
    CHECK_MPI(MPI_Win_unlock(1, window));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    int *memory = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    CHECK_MPI(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                               static_cast<void *>(&memory), &window));
    CHECK_MPI(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    constexpr int holder = 2;
    if (job.rank == holder)
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window));
    for (int lost = 4; lost < job.size; lost += 2) {
        if (job.rank == 0) {
            if (lost == 4)
                hear(holder, has_lock);
            for (int rank = 1; rank < job.size; ++rank)
                if (rank < 4 || rank >= lost)
                    say(rank, next_round);
            read_behind(lost + 1, window);
        } else {
            if (job.rank == holder && lost == 4)
                say(0, has_lock);
            hear(0, next_round);
            if (job.rank / 2 == lost / 2)
                wait_and_die(job, window);
        }
    }
    if (job.rank == 0)
        std::printf("the reader has had the lock\n");
    if (job.rank < 4) {
        if (job.rank == 0)
            say(holder, next_round);
        if (job.rank == holder) {
            hear(0, next_round);
            CHECK_MPI(MPI_Win_unlock(1, window));
        }
    }
}
