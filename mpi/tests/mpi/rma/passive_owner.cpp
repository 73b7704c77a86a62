// SPDX-License-Identifier: Apache-2.0
// Accumulates to a rank that calls nothing of MPI: it waits in the system, for a word through a pipe that the
// others send when their flushes have returned. If they needed the owner's help, nobody would ever go on. For
// memory of the program's own in other processes, the kernel has to allow copies: the test is skipped where
// it does not. The argument `without_private` leaves such memory out, `without_dynamic` dynamic windows, of
// which only a shared heap lets others know what is attached. With `by_threads` the owner's progress threads
// serve the others, whatever the memory.
#include "window.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

constexpr int owner = 0;
constexpr int rounds = 10;
constexpr std::size_t length = 10000; // longer than what is copied at once
constexpr std::size_t reached = 3;    // elements behind them, for calls of one element
constexpr std::size_t last_seen = length + reached;

/// Whether each rank can read the memory of the owner by the kernel.
bool kernel_copies(const check::job &job) {
    const int word = 4711;
    long long place[2] = {syscall(SYS_getpid), reinterpret_cast<long long>(&word)};
    CHECK_MPI(MPI_Bcast(place, 2, MPI_LONG_LONG, owner, MPI_COMM_WORLD));
    int found = 0;
    const iovec here{&found, sizeof found};
    const iovec there{reinterpret_cast<void *>(place[1]), sizeof found};
    int allowed = process_vm_readv(static_cast<pid_t>(place[0]), &here, 1, &there, 1, 0) > 0 ? 1 : 0;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &allowed, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    static_cast<void>(job);
    return allowed != 0 && found == word;
}

/// A pipe that has a name, which all ranks know.
class named_pipe {
  public:
    explicit named_pipe(const check::job &job) : makes_{job.rank == owner} {
        char folder[] = "/tmp/lisle_test_XXXXXX";
        if (makes_)
            CHECK(mkdtemp(folder) != nullptr);
        CHECK_MPI(MPI_Bcast(folder, sizeof folder, MPI_CHAR, owner, MPI_COMM_WORLD));
        folder_ = folder;
        path_ = folder_ + "/pipe";
        if (makes_)
            CHECK(mkfifo(path_.c_str(), 0600) == 0);
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    }
    ~named_pipe() {
        if (makes_) {
            unlink(path_.c_str());
            rmdir(folder_.c_str());
        }
    }
    named_pipe(const named_pipe &) = delete;
    named_pipe &operator=(const named_pipe &) = delete;

    void send() const { CHECK(transfer(O_WRONLY) == 1); }
    void receive() const { CHECK(transfer(O_RDONLY) == 1); }

  private:
    [[nodiscard]] long transfer(int way) const {
        const int end = open(path_.c_str(), way);
        CHECK(end >= 0);
        char word = 'w';
        const long moved = way == O_WRONLY ? write(end, &word, 1) : read(end, &word, 1);
        close(end);
        return moved;
    }
    bool makes_;
    std::string folder_, path_;
};

/// What each of the others does, with every call. Flushes between the calls let none of them wait for the
/// next.
void accumulate(const window_of<long> &window, const std::vector<long> &operands, MPI_Datatype pairs) {
    const MPI_Win handle = window.handle();
    long former = 0;
    const long one = 1;
    CHECK_MPI(MPI_Accumulate(operands.data(), length, MPI_LONG, owner, window.at(owner, 0), length, MPI_LONG,
                             MPI_SUM, handle));
    CHECK_MPI(MPI_Win_flush(owner, handle));
    // Every second element: data with gaps.
    CHECK_MPI(
        MPI_Accumulate(operands.data(), 1, pairs, owner, window.at(owner, 0), 1, pairs, MPI_SUM, handle));
    std::vector<long> seen(length);
    CHECK_MPI(MPI_Get_accumulate(operands.data(), length, MPI_LONG, seen.data(), length, MPI_LONG, owner,
                                 window.at(owner, 0), length, MPI_LONG, MPI_SUM, handle));
    CHECK_MPI(MPI_Win_flush_all(handle));
    for (std::size_t i = 0; i < length; ++i)
        CHECK(seen[i] >= operands[i] * (i % 2 == 0 ? 2 : 1));
    CHECK_MPI(MPI_Fetch_and_op(&one, &former, MPI_LONG, owner, window.at(owner, length), MPI_SUM, handle));
    CHECK_MPI(MPI_Win_flush(owner, handle));
    // An increment by compare-and-swap.
    for (long expected = 0;; expected = former) {
        const long next = expected + 1;
        CHECK_MPI(MPI_Compare_and_swap(&next, &expected, &former, MPI_LONG, owner,
                                       window.at(owner, length + 1), handle));
        CHECK_MPI(MPI_Win_flush(owner, handle));
        if (former == expected)
            break;
    }
    CHECK_MPI(
        MPI_Accumulate(&one, 1, MPI_LONG, owner, window.at(owner, length + 2), 1, MPI_LONG, MPI_MAX, handle));
}

void run(const check::job &job, flavour how, const named_pipe &pipe) {
    const window_of<long> window(how, last_seen);
    std::vector<long> operands(length);
    for (std::size_t i = 0; i < length; ++i)
        operands[i] = static_cast<long>(i) + 1;
    MPI_Datatype pairs = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_vector(length / 2, 1, 2, MPI_LONG, &pairs));
    CHECK_MPI(MPI_Type_commit(&pairs));
    MPI_Comm others = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, job.rank == owner ? MPI_UNDEFINED : 1, 0, &others));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (job.rank == owner) {
        pipe.receive();
    } else {
        for (int round = 0; round < rounds; ++round) {
            const int kind = round % 5 == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
            CHECK_MPI(MPI_Win_lock(kind, owner, 0, window.handle()));
            accumulate(window, operands, pairs);
            CHECK_MPI(MPI_Win_unlock(owner, window.handle()));
        }
        CHECK_MPI(MPI_Barrier(others));
        if (job.rank == owner + 1)
            pipe.send();
        CHECK_MPI(MPI_Comm_free(&others));
    }
    if (job.rank == owner) {
        const long times = static_cast<long>(rounds) * (job.size - 1);
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, window.handle()));
        for (std::size_t i = 0; i < length; ++i)
            CHECK_EQ(window[i], times * operands[i] * (i % 2 == 0 ? 3 : 2));
        CHECK_EQ(window[length], times);
        CHECK_EQ(window[length + 1], times);
        CHECK_EQ(window[length + 2], 1L);
        CHECK_MPI(MPI_Win_unlock(owner, window.handle()));
    }
    CHECK_MPI(MPI_Type_free(&pairs));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const std::string_view without = argc > 1 ? argv[1] : "";
    const bool shared_only = without == "without_private";
    if (!shared_only && without != "by_threads" && !kernel_copies(job))
        return 77;
    const named_pipe pipe(job);
    for (const flavour how : flavours(MPI_COMM_WORLD)) {
        const bool private_memory = how == flavour::created || how == flavour::dynamic;
        if (!(shared_only && private_memory) && !(without == "without_dynamic" && how == flavour::dynamic))
            run(job, how, pipe);
    }
}
