// SPDX-License-Identifier: Apache-2.0
// Partitioned messages: as many partitions on either side as each likes, marked ready in any order and by
// several threads, whole types and parts of them, and what must be refused.
#include "check.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr int tag = 3;

int value_of(int round, int index) {
    return round * 1000003 + index * 7 + 1;
}

struct shape {
    int send_partitions, receive_partitions, total;
};

enum class marking { one_by_one, range, list, threads };

void mark(MPI_Request request, int partitions, marking how, std::mt19937 &random) {
    std::vector<int> order(static_cast<std::size_t>(partitions));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    switch (how) {
    case marking::one_by_one:
        for (const int partition : order)
            CHECK_MPI(MPI_Pready(partition, request));
        break;
    case marking::range: {
        const int middle = partitions / 2;
        CHECK_MPI(MPI_Pready_range(middle, partitions - 1, request));
        if (middle > 0)
            CHECK_MPI(MPI_Pready_range(0, middle - 1, request));
        break;
    }
    case marking::list:
        CHECK_MPI(MPI_Pready_list(partitions, order.data(), request));
        break;
    case marking::threads: {
        std::vector<std::thread> workers;
        for (int worker = 0; worker < 3; ++worker)
            workers.emplace_back([&, worker] {
                for (int i = worker; i < partitions; i += 3)
                    CHECK_MPI(MPI_Pready(order[static_cast<std::size_t>(i)], request));
            });
        for (std::thread &worker : workers)
            worker.join();
        break;
    }
    }
}

/// Rank 0 sends to the last rank (itself, if it is alone), several times with the same requests.
void transfer(const check::job &job, const shape &parts, marking how) {
    const int source = 0;
    const int dest = job.size - 1;
    std::mt19937 random{static_cast<unsigned>(parts.total)};
    std::vector<int> out(static_cast<std::size_t>(parts.total));
    std::vector<int> in(out.size() + 2, -1);
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Request receive = MPI_REQUEST_NULL;
    if (job.rank == source)
        CHECK_MPI(MPI_Psend_init(out.data(), parts.send_partitions, parts.total / parts.send_partitions,
                                 MPI_INT, dest, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    if (job.rank == dest)
        CHECK_MPI(MPI_Precv_init(in.data() + 1, parts.receive_partitions,
                                 parts.total / parts.receive_partitions, MPI_INT, source, tag, MPI_COMM_WORLD,
                                 MPI_INFO_NULL, &receive));
    for (int round = 0; round < 4; ++round) {
        if (job.rank == dest)
            CHECK_MPI(MPI_Start(&receive));
        if (job.rank == source) {
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = value_of(round, static_cast<int>(i));
            CHECK_MPI(MPI_Start(&send));
            mark(send, parts.send_partitions, how, random);
        }
        if (job.rank == dest) {
            const auto length = static_cast<std::size_t>(parts.total / parts.receive_partitions);
            std::vector<bool> seen(static_cast<std::size_t>(parts.receive_partitions));
            // Whatever has arrived is there at once. The last round leaves it to MPI_Wait.
            for (std::size_t missing = seen.size(); missing != 0 && round < 3;)
                for (std::size_t i = 0; i < seen.size(); ++i) {
                    int flag = 0;
                    CHECK_MPI(MPI_Parrived(receive, static_cast<int>(i), &flag));
                    if (flag == 0 || seen[i])
                        continue;
                    seen[i] = true;
                    --missing;
                    for (std::size_t k = i * length; k < (i + 1) * length; ++k)
                        CHECK_EQ(in[k + 1], value_of(round, static_cast<int>(k)));
                }
            MPI_Status status;
            CHECK_MPI(MPI_Wait(&receive, &status));
            CHECK(receive != MPI_REQUEST_NULL);
            CHECK_EQ(status.MPI_SOURCE, source);
            CHECK_EQ(status.MPI_TAG, tag);
            int count = -1;
            CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
            CHECK_EQ(count, parts.total);
            for (std::size_t i = 0; i < out.size(); ++i)
                CHECK_EQ(in[i + 1], value_of(round, static_cast<int>(i)));
            CHECK_EQ(in.front(), -1);
            CHECK_EQ(in.back(), -1);
            int flag = 0; // of an inactive request: yes
            CHECK_MPI(MPI_Parrived(receive, 0, &flag));
            CHECK(flag != 0);
        }
        if (job.rank == source)
            CHECK_MPI(MPI_Wait(&send, MPI_STATUS_IGNORE));
    }
    for (MPI_Request *request : {&send, &receive})
        if (*request != MPI_REQUEST_NULL)
            CHECK_MPI(MPI_Request_free(request));
}

/// Every other double of a column, into a dense buffer that has room for more.
void types_and_room(const check::job &job) {
    const int dest = job.size - 1;
    constexpr int partitions = 3;
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &pair));
    MPI_Datatype pairs = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_create_resized(pair, 0, 4 * sizeof(double), &pairs));
    CHECK_MPI(MPI_Type_commit(&pairs));
    std::vector<double> out(4UL * partitions * 2);
    std::iota(out.begin(), out.end(), 0.0);
    std::vector<double> in(40, -1);
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (job.rank == 0)
        CHECK_MPI(MPI_Psend_init(out.data(), partitions, 2, pairs, dest, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                                 &requests[0]));
    if (job.rank == dest)
        CHECK_MPI(
            MPI_Precv_init(in.data(), 5, 4, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    for (MPI_Request &request : requests)
        if (request != MPI_REQUEST_NULL)
            CHECK_MPI(MPI_Start(&request));
    if (job.rank == 0)
        CHECK_MPI(MPI_Pready_range(0, partitions - 1, requests[0]));
    MPI_Status statuses[2];
    CHECK_MPI(MPI_Waitall(2, requests, statuses));
    if (job.rank == dest) {
        int count = 0;
        CHECK_MPI(MPI_Get_count(&statuses[1], MPI_DOUBLE, &count));
        CHECK_EQ(count, 2 * partitions * 2);
        for (int i = 0; i < count; ++i)
            CHECK_EQ(in[static_cast<std::size_t>(i)], 2.0 * i);
        CHECK_EQ(in[static_cast<std::size_t>(count)], -1.0);
    }
    for (MPI_Request &request : requests)
        if (request != MPI_REQUEST_NULL)
            CHECK_MPI(MPI_Request_free(&request));
    CHECK_MPI(MPI_Type_free(&pair));
    CHECK_MPI(MPI_Type_free(&pairs));
}

/// More than the receiver has room for is an error there, and the sender ends all the same.
void too_long(const check::job &job, int ints) {
    const int dest = job.size - 1;
    std::vector<int> out(static_cast<std::size_t>(ints));
    std::vector<int> in(3, -1);
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Request receive = MPI_REQUEST_NULL;
    if (job.rank == dest) {
        CHECK_MPI(MPI_Precv_init(in.data(), 1, 2, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
        CHECK_MPI(MPI_Start(&receive));
    }
    if (job.rank == 0) {
        CHECK_MPI(MPI_Psend_init(out.data(), 2, ints / 2, MPI_INT, dest, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                                 &send));
        CHECK_MPI(MPI_Start(&send));
        CHECK_MPI(MPI_Pready_range(0, 1, send));
    }
    if (job.rank == dest) {
        CHECK_ERROR(MPI_ERR_TRUNCATE, MPI_Wait(&receive, MPI_STATUS_IGNORE));
        CHECK_EQ(in[2], -1);
        CHECK_MPI(MPI_Request_free(&receive));
    }
    if (job.rank == 0) {
        CHECK_MPI(MPI_Wait(&send, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_Request_free(&send));
    }
}

/// Pairs of requests with equal envelopes match in the order of the init calls, in whatever order they start.
void order(const check::job &job) {
    constexpr int pairs = 4;
    const int dest = job.size - 1;
    int out[pairs];
    int in[pairs];
    std::vector<MPI_Request> sends;
    std::vector<MPI_Request> receives;
    for (int i = 0; i < pairs; ++i) {
        out[i] = 50 + i;
        in[i] = -1;
        if (job.rank == 0)
            CHECK_MPI(MPI_Psend_init(&out[i], 1, 1, MPI_INT, dest, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                                     &sends.emplace_back()));
        if (job.rank == dest)
            CHECK_MPI(MPI_Precv_init(&in[i], 1, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                                     &receives.emplace_back()));
    }
    for (int i = pairs; i-- > 0;) {
        const auto index = static_cast<std::size_t>(i);
        if (job.rank == 0) {
            CHECK_MPI(MPI_Start(&sends[index]));
            CHECK_MPI(MPI_Pready(0, sends[index]));
        }
        if (job.rank == dest)
            CHECK_MPI(MPI_Start(&receives[(index + 1) % pairs]));
    }
    CHECK_MPI(MPI_Waitall(static_cast<int>(receives.size()), receives.data(), MPI_STATUSES_IGNORE));
    CHECK_MPI(MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE));
    for (int i = 0; i < pairs && job.rank == dest; ++i)
        CHECK_EQ(in[i], 50 + i);
    for (auto *list : {&sends, &receives})
        for (MPI_Request &request : *list)
            CHECK_MPI(MPI_Request_free(&request));
}

void refused() {
    int data[4] = {};
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_ERROR(MPI_ERR_ARG, MPI_Psend_init(data, -1, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD,
                                            MPI_INFO_NULL, &request));
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Psend_init(data, 1, -1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD,
                                              MPI_INFO_NULL, &request));
    CHECK_MPI(
        MPI_Psend_init(data, 2, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Pready(0, request)); // not started
    CHECK_MPI(MPI_Start(&request));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Pready(2, request));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Pready(-1, request));
    int flag = 0;
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Parrived(request, 0, &flag)); // sends
    CHECK_MPI(MPI_Pready(0, request));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Pready(0, request)); // twice
    CHECK_MPI(MPI_Pready(1, request));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Request_free(&request));
    CHECK_MPI(
        MPI_Precv_init(data, 2, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    const auto arrived = [](MPI_Request asked, int partition) {
        int there = 0;
        CHECK_MPI(MPI_Parrived(asked, partition, &there));
        return there;
    };
    CHECK_EQ(arrived(MPI_REQUEST_NULL, 0), 1); // nothing is missing, as of a request that is inactive [4.2.2]
    CHECK_EQ(arrived(request, 1), 1);
    CHECK_MPI(MPI_Start(&request));
    CHECK_EQ(arrived(request, 0), 1);
    CHECK_EQ(arrived(request, 1), 1);
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Pready(0, request)); // receives
    CHECK_ERROR(MPI_ERR_ARG, MPI_Parrived(request, 2, &flag));
    MPI_Status status;
    CHECK_MPI(MPI_Wait(&request, &status));
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_MPI(MPI_Request_free(&request));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv, MPI_THREAD_MULTIPLE};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (const shape parts : {shape{1, 1, 1}, shape{1, 8, 64}, shape{8, 1, 64}, shape{6, 4, 12},
                              shape{7, 9, 63 * 11}, shape{64, 64, 64}, shape{16, 12, 48 * 4096}})
        for (const marking how : {marking::one_by_one, marking::range, marking::list, marking::threads})
            if (job.threads || how != marking::threads)
                transfer(job, parts, how);
    types_and_room(job);
    too_long(job, 8);
    too_long(job, 200000);
    order(job);
    refused();
    return 0;
}
