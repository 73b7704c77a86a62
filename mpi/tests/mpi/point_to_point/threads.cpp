// SPDX-License-Identifier: Apache-2.0
// MPI_THREAD_MULTIPLE: several threads of each rank send, receive, probe and wait at once, on one
// communicator and on one each.
#include "payload.hpp"

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int thread_count = 4;
constexpr int messages = 400;

template <class Body> void on_threads(Body body) {
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t)
        threads.emplace_back([body, t] { body(t); });
    for (std::thread &thread : threads)
        thread.join();
}

/// Each thread has a stream of its own: its messages keep their order whatever the others do.
void own_streams(const check::job &job, const std::array<MPI_Comm, thread_count> &comms, bool same_tag) {
    const int right = (job.rank + 1) % job.size;
    const int left = (job.rank + job.size - 1) % job.size;
    on_threads([&](int t) {
        MPI_Comm comm = comms[static_cast<std::size_t>(t)];
        const int tag = same_tag ? 0 : t;
        for (int i = 0; i < messages; ++i) {
            const std::size_t bytes = i % 50 == 49 ? 150000 : static_cast<std::size_t>((i * 37) % 900);
            const auto seed_of = [&](int sender) {
                return static_cast<std::uint64_t>((sender * thread_count + t) * messages + i);
            };
            guarded_buffer out(bytes);
            guarded_buffer in(bytes);
            out.fill(seed_of(job.rank));
            MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
            CHECK_MPI(
                MPI_Isend(out.data(), static_cast<int>(bytes), MPI_BYTE, right, tag, comm, &requests[0]));
            CHECK_MPI(MPI_Irecv(in.data(), static_cast<int>(bytes), MPI_BYTE, left, tag, comm, &requests[1]));
            if (i % 3 == 0) {
                for (int flag = 0; flag == 0;)
                    CHECK_MPI(MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE));
            } else {
                CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            }
            in.expect(seed_of(left), "thread " + std::to_string(t) + ", message " + std::to_string(i));
        }
    });
}

/// All threads of all ranks send to one tag, and whichever thread comes takes the next message: nothing is
/// lost or doubled. Half of the threads use blocking receives, half match with a probe.
void shared_stream(const check::job &job) {
    std::atomic<long long> received{0};
    const int right = (job.rank + 1) % job.size;
    on_threads([&](int t) {
        for (int i = 0; i < messages; ++i) {
            const int value = job.rank * 1'000'000 + t * messages + i;
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Isend(&value, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &request));
            int in = -1;
            if (t % 2 == 0) {
                CHECK_MPI(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            } else {
                MPI_Message message = MPI_MESSAGE_NULL;
                CHECK_MPI(MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
                CHECK_MPI(MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
            }
            received += in;
            CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
    });
    const long long left = (job.rank + job.size - 1) % job.size;
    const long long count = thread_count * messages;
    CHECK_EQ(received.load(), left * 1'000'000 * count + count * (count - 1) / 2);
}

/// One thread waits for what another started.
void handed_over(const check::job &job) {
    const int right = (job.rank + 1) % job.size;
    const int left = (job.rank + job.size - 1) % job.size;
    for (int i = 0; i < 30; ++i) {
        int in = -1;
        MPI_Request request = MPI_REQUEST_NULL;
        CHECK_MPI(MPI_Irecv(&in, 1, MPI_INT, left, 6, MPI_COMM_WORLD, &request));
        std::thread waiter([&] { CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE)); });
        std::thread sender([&] { CHECK_MPI(MPI_Send(&job.rank, 1, MPI_INT, right, 6, MPI_COMM_WORLD)); });
        waiter.join();
        sender.join();
        CHECK_EQ(in, left);
    }
}

/// While one thread waits for a receive, another cancels it: the wait ends, and nothing else is disturbed.
void cancelled_by_another() {
    for (int i = 0; i < 30; ++i) {
        int in = -1;
        MPI_Request request = MPI_REQUEST_NULL;
        CHECK_MPI(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request));
        MPI_Request copy = request; // each thread has a variable of its own
        MPI_Status status;
        std::thread waiter([&] { CHECK_MPI(MPI_Wait(&request, &status)); });
        CHECK_MPI(MPI_Cancel(&copy));
        waiter.join();
        int cancelled = 0;
        CHECK_MPI(MPI_Test_cancelled(&status, &cancelled));
        CHECK(cancelled != 0 && in == -1);
    }
}

/// One thread frees the request and another the communicator while the message is on its way: it arrives.
void freed_by_others(const check::job &job) {
    for (int i = 0; i < 30; ++i) {
        MPI_Comm comm = MPI_COMM_NULL;
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        int in[2] = {-1, -1};
        const int right = (job.rank + 1) % job.size;
        const int left = (job.rank + job.size - 1) % job.size;
        MPI_Request first = MPI_REQUEST_NULL;
        MPI_Request second = MPI_REQUEST_NULL;
        MPI_Request sent = MPI_REQUEST_NULL;
        CHECK_MPI(MPI_Irecv(&in[0], 1, MPI_INT, left, 0, comm, &first));
        CHECK_MPI(MPI_Irecv(&in[1], 1, MPI_INT, left, 0, comm, &second));
        std::thread waiter([&] { CHECK_MPI(MPI_Wait(&second, MPI_STATUS_IGNORE)); });
        std::thread freer([&] { CHECK_MPI(MPI_Request_free(&first)); });
        const int out[2] = {job.rank, i};
        CHECK_MPI(MPI_Send(&out[0], 1, MPI_INT, right, 0, comm));
        CHECK_MPI(MPI_Isend(&out[1], 1, MPI_INT, right, 0, comm, &sent));
        std::thread leaver([&] { CHECK_MPI(MPI_Comm_free(&comm)); });
        CHECK_MPI(MPI_Wait(&sent, MPI_STATUS_IGNORE));
        for (std::thread *thread : {&waiter, &freer, &leaver})
            thread->join();
        // The second message cannot overtake the first, so both are here.
        CHECK_EQ(in[0], left);
        CHECK_EQ(in[1], i);
    }
}

/// Two threads look for one message; the one that gets it receives it, the other finds none.
void matched_by_one() {
    for (int i = 0; i < 30; ++i) {
        int rank = 0;
        CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
        CHECK_MPI(MPI_Send(&i, 1, MPI_INT, rank, 8, MPI_COMM_WORLD));
        std::atomic<int> found{0};
        on_threads([&](int) {
            int flag = 0;
            MPI_Message message = MPI_MESSAGE_NULL;
            while (flag == 0 && found.load() == 0) // the message may take its time
                CHECK_MPI(MPI_Improbe(rank, 8, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
            int in = -1;
            if (flag != 0) {
                CHECK_MPI(MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
                CHECK_EQ(in, i);
                ++found;
            }
        });
        CHECK_EQ(found.load(), 1);
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv, MPI_THREAD_MULTIPLE);
    int main_thread = 0;
    CHECK_MPI(MPI_Is_thread_main(&main_thread));
    CHECK_EQ(main_thread, 1);
    std::array<MPI_Comm, thread_count> comms{};
    comms.fill(MPI_COMM_WORLD);
    own_streams(job, comms, false);
    for (MPI_Comm &comm : comms)
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    own_streams(job, comms, true);
    for (MPI_Comm &comm : comms)
        CHECK_MPI(MPI_Comm_free(&comm));
    shared_stream(job);
    handed_over(job);
    cancelled_by_another();
    freed_by_others(job);
    matched_by_one();
}
