// SPDX-License-Identifier: Apache-2.0
// Who moves messages on while ranks compute or sleep (LISLE_PROGRESS). What is counted is processor time and
// threads, never elapsed time. The first argument names the scenario, see the end. Ranks of different
// processes only.
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../check.hpp"

namespace {

int rank = 0, size = 0;

/// By the kernel: of the process, Lisle's own threads among them, not of a rank.
double seconds_on(clockid_t clock) {
    timespec now{};
    syscall(SYS_clock_gettime, clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

long threads_of_process() {
    const auto tasks = std::filesystem::directory_iterator{"/proc/self/task"};
    return std::distance(begin(tasks), end(tasks));
}

std::vector<int> process_ids() {
    const int own = static_cast<int>(syscall(SYS_getpid));
    std::vector<int> all(static_cast<std::size_t>(size));
    CHECK_MPI(MPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD));
    return all;
}

/// Each device has two threads, from MPI_Init to MPI_Finalize. `devices`: how many this job has. `before`:
/// how many threads the process had before MPI_Init, a sanitizer's among them.
void threads(long devices, long before) {
    CHECK_EQ(threads_of_process(), before + 2 * devices);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_EQ(threads_of_process(), before + 2 * devices);
    MPI_Session session = MPI_SESSION_NULL;
    CHECK_MPI(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    CHECK_MPI(MPI_Finalize());
    CHECK_EQ(threads_of_process(), before + 2 * devices); // the session needs them
    CHECK_MPI(MPI_Session_finalize(&session));
    CHECK_EQ(threads_of_process(), before);
}

/// A job with nothing to do uses less than a hundredth of a processor.
void idle() {
    constexpr unsigned length = 2;
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    const double before = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
    sleep(length);
    const double used = seconds_on(CLOCK_PROCESS_CPUTIME_ID) - before;
    CHECK(used < 0.01 * length);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// A thread that waits in a receive sleeps.
void blocked() {
    int word = 1;
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (rank != 0) {
        if (rank == 1) {
            sleep(2);
            CHECK_MPI(MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
        }
        return;
    }
    const double before = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
    CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(seconds_on(CLOCK_PROCESS_CPUTIME_ID) - before < 0.02);
}

/// Whether each page of a message of sevens has come, in whatever order: looks without a call, while the
/// library writes.
[[gnu::no_sanitize("thread")]] bool has_come(const std::vector<int> &data) {
    for (std::size_t at = 0; at < data.size(); at += 1024) {
        if (static_cast<const volatile int &>(data[at]) != 7) {
            return false;
        }
    }
    return true;
}

/// A long message comes over while neither side is in a call: with callers alone it would never come.
void aside() {
    const std::vector<int> ids = process_ids();
    sigset_t told;
    sigemptyset(&told);
    sigaddset(&told, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &told, nullptr);
    std::vector<int> data(std::size_t{1} << 22, rank == 0 ? 0 : 7);
    const int bytes = static_cast<int>(data.size() * sizeof(int));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    MPI_Request request = MPI_REQUEST_NULL;
    int signal = 0;
    if (rank == 0) {
        CHECK_MPI(MPI_Irecv(data.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request));
        while (!has_come(data)) {
            usleep(1000);
        }
        kill(ids[1], SIGUSR1);
    } else if (rank == 1) {
        CHECK_MPI(MPI_Isend(data.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request));
        sigwait(&told, &signal);
    }
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(std::accumulate(data.begin(), data.end(), 0L), 7L * static_cast<long>(data.size()));
}

/// Both sides send long messages at the same time, again and again, with more short ones than there is room
/// for.
void both_ways() {
    if (rank > 1) {
        return;
    }
    const int peer = 1 - rank;
    constexpr int rounds = 300, many = 40, shorter = 20000, longer = 300000;
    std::vector<char> out(longer, static_cast<char>(rank)), in(longer);
    std::vector<std::vector<char>> received(many, std::vector<char>(shorter));
    for (int round = 0; round != rounds; ++round) {
        std::vector<MPI_Request> requests(2 * many + 2, MPI_REQUEST_NULL);
        for (std::size_t each = 0; each != many; ++each) {
            CHECK_MPI(MPI_Isend(out.data(), shorter, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[2 * each]));
        }
        CHECK_MPI(MPI_Isend(out.data(), longer, MPI_CHAR, peer, 2, MPI_COMM_WORLD, &requests[2 * many]));
        CHECK_MPI(MPI_Irecv(in.data(), longer, MPI_CHAR, peer, 2, MPI_COMM_WORLD, &requests[2 * many + 1]));
        for (std::size_t each = 0; each != many; ++each) {
            CHECK_MPI(MPI_Irecv(received[each].data(), shorter, MPI_CHAR, peer, 1, MPI_COMM_WORLD,
                                &requests[2 * each + 1]));
        }
        CHECK_MPI(MPI_Waitall(2 * many + 2, requests.data(), MPI_STATUSES_IGNORE));
        CHECK_EQ(static_cast<int>(in.back()), peer);
    }
}

/// Waits until a process stands, as the third word of its state says.
void wait_until_stopped(int process) {
    char state = '?';
    while (state != 'T') {
        usleep(1000);
        std::ifstream file{"/proc/" + std::to_string(process) + "/stat"};
        std::string number, name;
        file >> number >> name >> state;
    }
}

/// Rank 1 is stopped while rank 0 has much for it: messages to rank 2 pass, and the wait costs nothing.
void clogged() {
    const std::vector<int> ids = process_ids();
    constexpr int messages = 400, length = 40000, trips = 200;
    std::vector<char> data(length);
    int word = 0;
    if (rank == 1) {
        // Then both have left the calls before, and wait for nothing of this rank.
        for (const int peer : {0, 2}) {
            CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
        raise(SIGSTOP);
        for (int each = 0; each != messages; ++each) {
            CHECK_MPI(MPI_Recv(data.data(), length, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
    } else if (rank == 0) {
        CHECK_MPI(MPI_Send(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
        wait_until_stopped(ids[1]);
        std::vector<MPI_Request> requests(messages);
        for (MPI_Request &each : requests) {
            CHECK_MPI(MPI_Isend(data.data(), length, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &each));
        }
        for (int trip = 0; trip != trips; ++trip) {
            CHECK_MPI(MPI_Send(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD));
            CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
        CHECK_EQ(word, trips);
        const double before = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
        sleep(1);
        const double used = seconds_on(CLOCK_PROCESS_CPUTIME_ID) - before;
        CHECK(used < 0.05);
        kill(ids[1], SIGCONT);
        CHECK_MPI(MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE));
    } else {
        CHECK_MPI(MPI_Send(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
        for (int trip = 0; trip != trips; ++trip) {
            CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            ++word;
            CHECK_MPI(MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    std::thread{[] {}}.join(); // the first thread of a process brings a sanitizer's own
    const long before = threads_of_process();
    CHECK_MPI(MPI_Init(&argc, &argv));
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
    const std::string scenario = argc > 1 ? argv[1] : "";
    if (scenario == "threads") {
        threads(argc > 2 ? std::atol(argv[2]) : 1, before);
        return 0;
    }
    if (scenario == "idle") {
        idle();
    } else if (scenario == "blocked") {
        blocked();
    } else if (scenario == "aside") {
        aside();
    } else if (scenario == "both_ways") {
        both_ways();
    } else if (scenario == "clogged") {
        clogged();
    } else {
        check::fail(__FILE__, __LINE__, "there is no scenario \"" + scenario + "\"");
    }
    CHECK_MPI(MPI_Finalize());
    return 0;
}
