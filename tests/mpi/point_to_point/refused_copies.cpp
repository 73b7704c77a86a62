// SPDX-License-Identifier: Apache-2.0
// Long messages to and from a process that the kernel suddenly forbids to reach other processes' memory, as
// a container's rules may: nothing is lost, whichever side meets the refusal and in the middle of whatever.
#include "payload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace {

/// From now on the calls named fail with EPERM in this process.
void forbid(unsigned first, unsigned second) {
    sock_filter rules[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, first},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, second},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | 1},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog program{sizeof rules / sizeof *rules, rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        std::puts("skipped: this machine lets no process forbid itself anything");
}

/// Messages both ways at once, so that each side is a sender that can help and a receiver.
void exchange(int rank, int messages) {
    const int peer = 1 - rank;
    std::vector<int> out(300000), in(300000);
    for (int message = 0; message < messages; ++message) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = rank * 1000003 + message * 7 + static_cast<int>(i);
        MPI_Request requests[2];
        CHECK_MPI(MPI_Irecv(in.data(), 300000, MPI_INT, peer, message, MPI_COMM_WORLD, &requests[0]));
        CHECK_MPI(MPI_Isend(out.data(), 300000, MPI_INT, peer, message, MPI_COMM_WORLD, &requests[1]));
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
    exchange(rank, 5);
    if (rank == 0 && what == "reads")
        forbid(SYS_process_vm_readv, SYS_process_vm_readv);
    if (rank == 0 && what == "writes")
        forbid(SYS_process_vm_writev, SYS_process_vm_writev);
    if (rank == 0 && what == "both")
        forbid(SYS_process_vm_readv, SYS_process_vm_writev);
    exchange(rank, 20);
    CHECK_MPI(MPI_Finalize());
    return 0;
}
