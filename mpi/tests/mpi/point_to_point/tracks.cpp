// SPDX-License-Identifier: Apache-2.0
// Communicators of a rank with MPI_THREAD_MULTIPLE are spread over several engines. Whatever one thread waits
// for, messages of all communicators move; and calls that complete several requests take them from anywhere.
#include "payload.hpp"

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int comm_count = 5; // more than there are engines
constexpr std::size_t long_message = 700'000;
using comms = std::array<MPI_Comm, comm_count>;

std::uint64_t seed_of(int sender, int comm, int round) {
    return static_cast<std::uint64_t>((sender * comm_count + comm) * 1000 + round);
}

/// A message that needs its sender's help moves while the sender waits on another communicator.
void waits_elsewhere(const check::job &job, const comms &all) {
    const int right = (job.rank + 1) % job.size;
    const int left = (job.rank + job.size - 1) % job.size;
    for (int a = 0; a < comm_count; ++a) {
        MPI_Comm first = all[static_cast<std::size_t>(a)];
        MPI_Comm second = all[static_cast<std::size_t>((a + 1) % comm_count)];
        guarded_buffer out(long_message);
        guarded_buffer in(long_message);
        out.fill(seed_of(job.rank, a, 0));
        MPI_Request sending = MPI_REQUEST_NULL;
        CHECK_MPI(MPI_Isend(out.data(), long_message, MPI_BYTE, right, a, first, &sending));
        // Says that the long message is here, on another communicator.
        MPI_Request thanks = MPI_REQUEST_NULL;
        int thanked = -1;
        CHECK_MPI(MPI_Irecv(&thanked, 1, MPI_INT, right, a, second, &thanks));
        std::thread receiver([&] {
            CHECK_MPI(MPI_Recv(in.data(), long_message, MPI_BYTE, left, a, first, MPI_STATUS_IGNORE));
            in.expect(seed_of(left, a, 0), "communicator " + std::to_string(a));
            CHECK_MPI(MPI_Send(&job.rank, 1, MPI_INT, left, a, second));
        });
        CHECK_MPI(MPI_Wait(&thanks, MPI_STATUS_IGNORE));
        CHECK_EQ(thanked, right);
        receiver.join();
        CHECK_MPI(MPI_Wait(&sending, MPI_STATUS_IGNORE));
    }
}

/// The same by one thread alone: even ranks first send and wait, odd ones first receive and answer.
void alone(const check::job &job, const comms &all) {
    const int peer = job.rank ^ 1;
    if (peer >= job.size)
        return;
    guarded_buffer data(long_message);
    for (int a = 0; a < comm_count; ++a) {
        MPI_Comm first = all[static_cast<std::size_t>(a)];
        MPI_Comm second = all[static_cast<std::size_t>((a + 2) % comm_count)];
        int word = a;
        if (job.rank % 2 == 0) {
            data.fill(seed_of(job.rank, a, 1));
            MPI_Request sending = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Isend(data.data(), long_message, MPI_BYTE, peer, 1, first, &sending));
            CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, peer, 1, second, MPI_STATUS_IGNORE));
            CHECK_EQ(word, a);
            CHECK_MPI(MPI_Wait(&sending, MPI_STATUS_IGNORE));
        } else {
            CHECK_MPI(MPI_Recv(data.data(), long_message, MPI_BYTE, peer, 1, first, MPI_STATUS_IGNORE));
            data.expect(seed_of(peer, a, 1), "communicator " + std::to_string(a));
            CHECK_MPI(MPI_Send(&word, 1, MPI_INT, peer, 1, second));
        }
    }
}

/// One call completes requests of all communicators, of every sort of call.
void together(const check::job &job, const comms &all) {
    const int right = (job.rank + 1) % job.size;
    const int left = (job.rank + job.size - 1) % job.size;
    for (int round = 0; round < 40; ++round) {
        std::array<MPI_Request, 2 * comm_count> requests{};
        std::array<int, comm_count> in{};
        std::array<int, comm_count> out{};
        for (int i = 0; i < comm_count; ++i) {
            const auto c = static_cast<std::size_t>((i + round) % comm_count);
            out[c] = job.rank * 100 + static_cast<int>(c);
            CHECK_MPI(MPI_Irecv(&in[c], 1, MPI_INT, left, round, all[c], &requests[2 * c]));
            CHECK_MPI(MPI_Issend(&out[c], 1, MPI_INT, right, round, all[c], &requests[2 * c + 1]));
        }
        const int count = static_cast<int>(requests.size());
        if (round % 4 == 0) {
            for (int done = 0, index = 0; done < count; ++done)
                CHECK_MPI(MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE));
        } else if (round % 4 == 1) {
            std::array<int, 2 * comm_count> indices{};
            for (int done = 0, some = 0; done < count; done += some)
                CHECK_MPI(MPI_Waitsome(count, requests.data(), &some, indices.data(), MPI_STATUSES_IGNORE));
        } else if (round % 4 == 2) {
            for (int flag = 0; flag == 0;)
                CHECK_MPI(MPI_Testall(count, requests.data(), &flag, MPI_STATUSES_IGNORE));
        } else {
            CHECK_MPI(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE));
        }
        for (int c = 0; c < comm_count; ++c)
            CHECK_EQ(in[static_cast<std::size_t>(c)], left * 100 + c);
    }
}

/// A thread for each communicator, with collectives, non-blocking ones, probes and communicators of their
/// own, all at once; half of them only test.
void apart(const check::job &job, const comms &all) {
    const int right = (job.rank + 1) % job.size;
    const int left = (job.rank + job.size - 1) % job.size;
    std::vector<std::thread> threads;
    for (int c = 0; c < comm_count; ++c)
        threads.emplace_back([&job, c, comm = all[static_cast<std::size_t>(c)], right, left] {
            for (int round = 0; round < 60; ++round) {
                const int mine = job.rank + c + round;
                int sum = 0;
                MPI_Request request = MPI_REQUEST_NULL;
                if (round % 2 == 0) {
                    CHECK_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
                } else {
                    CHECK_MPI(MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request));
                }
                CHECK_MPI(MPI_Send(&mine, 1, MPI_INT, right, round, comm));
                MPI_Message message = MPI_MESSAGE_NULL;
                for (int flag = 0; flag == 0;)
                    CHECK_MPI(MPI_Improbe(left, round, comm, &flag, &message, MPI_STATUS_IGNORE));
                int theirs = -1;
                CHECK_MPI(MPI_Mrecv(&theirs, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
                CHECK_EQ(theirs, left + c + round);
                if (c % 2 == 0) {
                    for (int flag = 0; flag == 0;)
                        CHECK_MPI(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
                } else {
                    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
                }
                CHECK_EQ(sum, job.size * (c + round) + job.size * (job.size - 1) / 2);
                if (round % 20 == 0) {
                    MPI_Comm copy = MPI_COMM_NULL;
                    CHECK_MPI(MPI_Comm_idup(comm, &copy, &request));
                    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
                    CHECK_MPI(MPI_Barrier(copy));
                    CHECK_MPI(MPI_Comm_free(&copy));
                }
            }
        });
    for (std::thread &thread : threads)
        thread.join();
}

/// Threads flood each other on several communicators in both directions, more than mailboxes hold.
void flooded(const check::job &job, const comms &all) {
    constexpr int messages = 3000;
    const int right = (job.rank + 1) % job.size;
    const int left = (job.rank + job.size - 1) % job.size;
    std::vector<std::thread> threads;
    for (int c = 0; c < 3; ++c) {
        MPI_Comm comm = all[static_cast<std::size_t>(c)];
        threads.emplace_back([comm, right] {
            for (int i = 0; i < messages; ++i)
                CHECK_MPI(MPI_Send(&i, 1, MPI_INT, right, 9, comm));
        });
        threads.emplace_back([comm, left] {
            for (int i = 0; i < messages; ++i) {
                int in = -1;
                CHECK_MPI(MPI_Recv(&in, 1, MPI_INT, left, 9, comm, MPI_STATUS_IGNORE));
                CHECK_EQ(in, i);
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
}

/// Buffered messages of all communicators leave from one buffer.
void buffered(const check::job &job, const comms &all) {
    std::vector<char> memory(comm_count * (long_message + MPI_BSEND_OVERHEAD));
    CHECK_MPI(MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size())));
    guarded_buffer out(long_message);
    guarded_buffer in(long_message);
    const int right = (job.rank + 1) % job.size;
    const int left = (job.rank + job.size - 1) % job.size;
    for (int c = 0; c < comm_count; ++c) {
        out.fill(seed_of(job.rank, c, 2));
        CHECK_MPI(MPI_Bsend(out.data(), long_message, MPI_BYTE, right, 3, all[static_cast<std::size_t>(c)]));
    }
    MPI_Request flushed = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Buffer_iflush(&flushed));
    for (int c = comm_count; c-- > 0;) {
        CHECK_MPI(MPI_Recv(in.data(), long_message, MPI_BYTE, left, 3, all[static_cast<std::size_t>(c)],
                           MPI_STATUS_IGNORE));
        in.expect(seed_of(left, c, 2), "buffered on " + std::to_string(c));
    }
    CHECK_MPI(MPI_Wait(&flushed, MPI_STATUS_IGNORE));
    void *detached = nullptr;
    int size = 0;
    CHECK_MPI(MPI_Buffer_detach(static_cast<void *>(&detached), &size));
    CHECK(detached == memory.data());
}

/// The calling rank's number in the job, before MPI begins.
int number_in_job() {
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Group world = MPI_GROUP_NULL;
    int number = -1;
    CHECK_MPI(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session));
    CHECK_MPI(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    CHECK_MPI(MPI_Group_rank(world, &number));
    CHECK_MPI(MPI_Group_free(&world));
    CHECK_MPI(MPI_Session_finalize(&session));
    return number;
}

} // namespace

/// With the argument `mixed` only rank 0, which proposes the communicators, asks for threads that call at
/// once; the others, which do not, are on all tracks all the same.
int main(int argc, char **argv) {
    const bool threads = argc == 1 || number_in_job() == 0;
    const check::job job(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    comms all{};
    for (MPI_Comm &comm : all)
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    alone(job, all);
    together(job, all);
    buffered(job, all);
    if (argc == 1) {
        waits_elsewhere(job, all);
        apart(job, all);
        flooded(job, all);
    }
    for (MPI_Comm &comm : all)
        CHECK_MPI(MPI_Comm_free(&comm));
}
