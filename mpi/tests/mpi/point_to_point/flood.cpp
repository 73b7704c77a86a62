// SPDX-License-Identifier: Apache-2.0
// Far more messages than their receiver takes: it sleeps at first, then only looks at another tag. The
// senders must be held back before anybody's memory overflows, and every message arrives in order.
// CHECK_MEGABYTES is what a process may take. Use: flood [messages [milliseconds before the receiver takes
// any]]
#include "payload.hpp"

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

/// The most memory that this process has had, in megabytes.
long peak_megabytes() {
    std::ifstream file("/proc/self/status");
    std::string word;
    while (file >> word)
        if (word == "VmHWM:") {
            long kilobytes = 0;
            file >> kilobytes;
            return kilobytes / 1024;
        }
    return 0;
}

// Sanitizers multiply every allocation; under them only order and contents are checked.
long allowed_megabytes() {
    constexpr long any = 1'000'000;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return any;
#else
    const char *const set = std::getenv("CHECK_MEGABYTES");
    return set != nullptr ? std::atol(set) : any;
#endif
}

void send_flood(const check::job &job, long long count) {
    for (long long i = 0; i < count; ++i) {
        const long long value = i * job.size + job.rank;
        CHECK_MPI(MPI_Send(&value, 1, MPI_LONG_LONG, 0, 1, MPI_COMM_WORLD));
    }
}

void receive_flood(const check::job &job, long long count) {
    std::vector<long long> next(static_cast<std::size_t>(job.size), 0);
    for (long long i = 0; i < count * (job.size - 1); ++i) {
        long long value = -1;
        MPI_Status status;
        CHECK_MPI(MPI_Recv(&value, 1, MPI_LONG_LONG, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status));
        long long &number = next[static_cast<std::size_t>(status.MPI_SOURCE)];
        CHECK_EQ(value, number * job.size + status.MPI_SOURCE);
        ++number;
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const long long total = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
    const std::chrono::milliseconds pause{argc > 2 ? std::atoi(argv[2]) : 500};
    if (job.size < 2)
        return 0;
    const long long each = total / 2 / (job.size - 1);
    const long before = peak_megabytes();
    for (const bool looking : {false, true}) {
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        if (job.rank != 0) {
            send_flood(job, each);
            continue;
        }
        const auto end = std::chrono::steady_clock::now() + pause;
        while (std::chrono::steady_clock::now() < end) {
            if (looking) {
                int flag = 0;
                CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
                CHECK_EQ(flag, 0);
            } else {
                std::this_thread::sleep_until(end);
            }
        }
        receive_flood(job, each);
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    const long grown = peak_megabytes() - before;
    if (grown > allowed_megabytes())
        check::fail(__FILE__, __LINE__,
                    "the flood took " + std::to_string(grown) + " MB of memory, more than " +
                        std::to_string(allowed_megabytes()));
}
