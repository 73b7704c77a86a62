// SPDX-License-Identifier: Apache-2.0
// A process is killed while its last rank holds locks of a window, and the job goes on (lislerun --with-ft):
// those that wait for these locks, or ask for them later, are told who has failed; all other locks work as
// before, and the survivors make a new window. Ranks of one process fail together.
#include "window.hpp"

#include <csignal>
#include <string>
#include <vector>

namespace {

constexpr int released = 1;

/// The call fails because of a failed rank, and says all of the words.
void expect_failure(int code, const std::vector<std::string> &words) {
    CHECK_EQ(check::error_class(code), MPIX_ERR_PROC_FAILED);
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int length = 0;
    CHECK_MPI(MPIX_Error_sentence(code, text.data(), &length));
    text.resize(static_cast<std::size_t>(length));
    for (const std::string &word : words)
        if (text.find(word) == std::string::npos)
            check::fail(__FILE__, __LINE__, "\"" + text + "\" does not say \"" + word + "\"");
}

/// True for the ranks of the process that is killed: those that share memory with the last one.
bool is_doomed(const check::job &job) {
    MPI_Comm process = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &process));
    int last = job.rank == job.size - 1 ? 1 : 0;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_INT, MPI_MAX, process));
    CHECK_MPI(MPI_Comm_free(&process));
    return last != 0;
}

/// The holder takes an exclusive lock of rank 0 and a shared one of rank 1, and is killed when all others
/// know.
[[noreturn]] void hold_and_die(const check::job &job, MPI_Win window) {
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window));
    for (int rank = 0; rank < job.size - 1; ++rank)
        CHECK_MPI(MPI_Ssend(nullptr, 0, MPI_INT, rank, released, MPI_COMM_WORLD));
    std::raise(SIGKILL);
    std::abort();
}

/// An exclusive lock of a part that nobody holds for good, and a change under it.
void count_at(int target, MPI_Win window) {
    const int one = 1;
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window));
    CHECK_MPI(MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, window));
    CHECK_MPI(MPI_Win_unlock(target, window));
}

/// A window of the survivors works with every lock.
void check_survivors(int expected) {
    MPI_Comm survivors = MPI_COMM_NULL;
    CHECK_MPI(MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors));
    int size = 0;
    CHECK_MPI(MPI_Comm_size(survivors, &size));
    CHECK_EQ(size, expected);
    {
        const window_of<int> fresh(flavour::allocated, 1, survivors);
        for (int target = 0; target < size; ++target)
            count_at(target, fresh.handle());
        CHECK_MPI(MPI_Barrier(survivors));
        CHECK_MPI(MPI_Win_lock_all(0, fresh.handle()));
        int rank = 0, found = 0;
        CHECK_MPI(MPI_Comm_rank(survivors, &rank));
        CHECK_MPI(MPI_Fetch_and_op(nullptr, &found, MPI_INT, rank, 0, MPI_NO_OP, fresh.handle()));
        CHECK_MPI(MPI_Win_unlock_all(fresh.handle()));
        CHECK_EQ(found, size);
    }
    CHECK_MPI(MPI_Comm_free(&survivors));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const bool doomed = is_doomed(job);
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    int *memory = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    CHECK_MPI(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                               static_cast<void *>(&memory), &window));
    CHECK_MPI(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    *memory = 0;
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    const int last = job.size - 1;
    if (job.rank == last)
        hold_and_die(job, window);
    CHECK_MPI(MPI_Recv(nullptr, 0, MPI_INT, last, released, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    // Ranks with an even number wait for the lock when its holder dies; the others hear of that first.
    if (job.rank % 2 != 0 || doomed)
        expect_failure(MPI_Recv(nullptr, 0, MPI_INT, last, released, MPI_COMM_WORLD, MPI_STATUS_IGNORE), {});

    const std::string holder = "held by rank " + std::to_string(last);
    const int kind = job.rank % 4 < 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
    expect_failure(MPI_Win_lock(kind, 0, 0, window), {"target 0", holder, "failed"});
    expect_failure(MPI_Win_lock_all(0, window), {"failed"});
    expect_failure(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window), {"target 1", holder, "failed"});
    expect_failure(MPI_Win_lock(MPI_LOCK_SHARED, last, 0, window),
                   {"target " + std::to_string(last), "failed"});
    // A reader that has failed keeps no other readers out, and other parts are as before: MPI_Win_lock_all
    // has left no lock behind.
    int found = -1;
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window));
    CHECK_MPI(MPI_Fetch_and_op(nullptr, &found, MPI_INT, 1, 0, MPI_NO_OP, window));
    CHECK_MPI(MPI_Win_unlock(1, window));
    CHECK_EQ(found, 0);
    count_at(2, window);
    expect_failure(MPI_Win_free(&window), {});
    int alive = 0;
    CHECK_MPI(MPIX_Comm_ack_failed(MPI_COMM_WORLD, job.size, &alive));
    check_survivors(job.size - alive);
    if (job.rank == 0)
        std::printf("the survivors go on\n");
}
