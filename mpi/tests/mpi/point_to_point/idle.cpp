// SPDX-License-Identifier: Apache-2.0
// A rank that waits long uses no processor time, in whichever call it waits.
#include "payload.hpp"

#include <chrono>
#include <ctime>
#include <string>
#include <thread>

namespace {

constexpr std::chrono::milliseconds absence{300};

double processor_seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Rank 0 sleeps for a while before it does its part; the others must not burn time meanwhile.
template <class Early, class Late>
void expect_idle(const check::job &job, const char *call, Early early, Late late) {
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    const double thread_before = processor_seconds(CLOCK_THREAD_CPUTIME_ID);
    const double process_before = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (job.rank == 0) {
        std::this_thread::sleep_for(absence);
        late();
    } else {
        early();
        const double by_thread = processor_seconds(CLOCK_THREAD_CPUTIME_ID) - thread_before;
        // Other ranks of this process wait too; and a helper thread must not burn time in our stead.
        const double by_process = processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - process_before;
        const double most = 0.1 * std::chrono::duration<double>(absence).count();
        if (by_thread > most || by_process > most * job.size)
            check::fail(__FILE__, __LINE__,
                        std::to_string(absence.count()) + " ms in " + call + " took " +
                            std::to_string(by_thread) + " s of processor time, the process " +
                            std::to_string(by_process));
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    int value = 0;
    const auto send_to_all = [&] {
        for (int dest = 1; dest < job.size; ++dest)
            CHECK_MPI(MPI_Send(&value, 1, MPI_INT, dest, 0, MPI_COMM_WORLD));
    };
    const auto receive = [&] {
        CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    };
    expect_idle(job, "MPI_Recv", receive, send_to_all);
    expect_idle(
        job, "MPI_Waitall",
        [&] {
            int other = 0;
            MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
            CHECK_MPI(MPI_Irecv(&other, 1, MPI_INT, job.rank, 1, MPI_COMM_WORLD, &requests[0]));
            CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]));
            CHECK_MPI(MPI_Send(&job.size, 1, MPI_INT, job.rank, 1, MPI_COMM_WORLD));
            CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        },
        send_to_all);
    expect_idle(
        job, "MPI_Probe",
        [&] {
            CHECK_MPI(MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            receive();
        },
        send_to_all);
    expect_idle(
        job, "MPI_Ssend", [&] { CHECK_MPI(MPI_Ssend(&job.rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD)); },
        [&] {
            for (int i = 1; i < job.size; ++i)
                CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        });
    const auto barrier = [] { CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); };
    expect_idle(job, "MPI_Barrier", barrier, barrier);
}
