// SPDX-License-Identifier: Apache-2.0
// Long messages to and from a process that the kernel suddenly forbids to reach other processes' memory, as
// a container's rules may: nothing is lost, whichever side meets the refusal and in the middle of whatever.
#include "payload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

constexpr int message_ints = 300000;
constexpr std::uint64_t message_bytes = message_ints * sizeof(int);

/// Says why on rank 0 and ends the test with the status that ctest shows as skipped.
int skip(int rank, const char *reason) {
    if (rank == 0) {
        std::printf("skipped: %s\n", reason);
        std::fflush(stdout);
    }
    CHECK_MPI(MPI_Finalize());
    return 77;
}

/// True in all ranks if it is in each.
bool in_all(bool here) {
    int both = here ? 1 : 0;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &both, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    return both != 0;
}

/// Whether the kernel lets this process read and write the memory of its peer.
bool reaches_peer(int rank) {
    struct {
        long pid;
        std::uint64_t address;
    } own, peers;
    volatile char there = 'x';
    own.pid = getpid();
    own.address = reinterpret_cast<std::uintptr_t>(&there);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); // what Lisle does, too, where Yama restricts it
    CHECK_MPI(MPI_Sendrecv(&own, sizeof own, MPI_BYTE, 1 - rank, 0, &peers, sizeof peers, MPI_BYTE, 1 - rank,
                           0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    char here = 0;
    const iovec local{&here, 1};
    const iovec remote{reinterpret_cast<void *>(peers.address), 1};
    const bool reached = process_vm_readv(static_cast<pid_t>(peers.pid), &local, 1, &remote, 1, 0) == 1 &&
                         process_vm_writev(static_cast<pid_t>(peers.pid), &local, 1, &remote, 1, 0) == 1;
    return in_all(reached); // which also keeps `there` until the peer has looked
}

/// The bytes that this rank has received by reading its peer's memory.
class read_bytes {
  public:
    read_bytes() {
        int provided = 0, index = 0, count = 0;
        CHECK_MPI(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
        CHECK_MPI(MPI_T_pvar_session_create(&session_));
        CHECK_MPI(MPI_T_pvar_get_index("lisle_read_bytes", MPI_T_PVAR_CLASS_AGGREGATE, &index));
        CHECK_MPI(MPI_T_pvar_handle_alloc(session_, index, nullptr, &handle_, &count));
        CHECK_MPI(MPI_T_pvar_start(session_, handle_));
    }
    ~read_bytes() {
        CHECK_MPI(MPI_T_pvar_handle_free(session_, &handle_));
        CHECK_MPI(MPI_T_pvar_session_free(&session_));
        CHECK_MPI(MPI_T_finalize());
    }
    read_bytes(const read_bytes &) = delete;
    read_bytes &operator=(const read_bytes &) = delete;
    [[nodiscard]] std::uint64_t now() const {
        std::uint64_t value = 0;
        CHECK_MPI(MPI_T_pvar_read(session_, handle_, &value));
        return value;
    }

  private:
    MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
};

/// From now on the calls named fail with EPERM in this process. @return false: that cannot be had here
[[nodiscard]] bool forbid(unsigned first, unsigned second) {
    sock_filter rules[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, first},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, second},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | 1},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog program{sizeof rules / sizeof *rules, rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Messages both ways at once, so that each side is a sender that can help and a receiver.
void exchange(int rank, int messages) {
    const int peer = 1 - rank;
    std::vector<int> out(message_ints), in(message_ints);
    for (int message = 0; message < messages; ++message) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = rank * 1000003 + message * 7 + static_cast<int>(i);
        MPI_Request requests[2];
        CHECK_MPI(MPI_Irecv(in.data(), message_ints, MPI_INT, peer, message, MPI_COMM_WORLD, &requests[0]));
        CHECK_MPI(MPI_Isend(out.data(), message_ints, MPI_INT, peer, message, MPI_COMM_WORLD, &requests[1]));
        CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (std::size_t i = 0; i < in.size(); ++i)
            CHECK_EQ(in[i], peer * 1000003 + message * 7 + static_cast<int>(i));
        std::fill(in.begin(), in.end(), -1);
    }
}

} // namespace

int main(int argc, char **argv) {
    CHECK_MPI(MPI_Init(&argc, &argv));
    int rank = 0;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    const std::string what = argc > 1 ? argv[1] : "";
    if (!reaches_peer(rank))
        return skip(rank,
                    "the kernel lets no process reach another's memory, so that nothing can be refused");
    {
        const read_bytes before;
        exchange(rank, 5);
        // Each message was read by its receiver, or written by a sender that helped: the receiver counts
        // both.
        CHECK_EQ(before.now(), 5 * message_bytes);
    }
    bool forbidden = true;
    if (rank == 0 && what == "reads")
        forbidden = forbid(SYS_process_vm_readv, SYS_process_vm_readv);
    if (rank == 0 && what == "writes")
        forbidden = forbid(SYS_process_vm_writev, SYS_process_vm_writev);
    if (rank == 0 && what == "both")
        forbidden = forbid(SYS_process_vm_readv, SYS_process_vm_writev);
    if (!in_all(forbidden))
        return skip(rank, "this machine lets no process forbid itself anything");
    {
        const read_bytes after;
        exchange(rank, 20);
        if (what.empty())
            CHECK_EQ(after.now(), 20 * message_bytes);
        if (rank == 0 && what == "both")
            CHECK(after.now() < 20 * message_bytes);
    }
    CHECK_MPI(MPI_Finalize());
    return 0;
}
