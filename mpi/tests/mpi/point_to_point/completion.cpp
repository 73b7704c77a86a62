// SPDX-License-Identifier: Apache-2.0
// All ways to complete requests: wait and test for one, any, some and all; null and inactive requests;
// statuses that are empty where the standard says so; looking at a request without completing it.
#include "payload.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace {

constexpr int count = 12;

void expect_empty(const MPI_Status &status) {
    CHECK_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
    CHECK_EQ(status.MPI_ERROR, MPI_SUCCESS);
    int elements = -1;
    int cancelled = -1;
    CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &elements));
    CHECK_MPI(MPI_Test_cancelled(&status, &cancelled));
    CHECK_EQ(elements, 0);
    CHECK_EQ(cancelled, 0);
}

/// Receives from oneself, of which the caller releases one at a time by sending.
class batch {
  public:
    batch() {
        for (int i = 0; i < count; ++i)
            CHECK_MPI(MPI_Irecv(&values[static_cast<std::size_t>(i)], 1, MPI_INT, 0, i, MPI_COMM_SELF,
                                &requests[static_cast<std::size_t>(i)]));
    }
    static void release(int index) {
        const int value = 100 + index;
        CHECK_MPI(MPI_Send(&value, 1, MPI_INT, 0, index, MPI_COMM_SELF));
    }
    void expect_done(int index, const MPI_Status &status) const {
        CHECK(requests[static_cast<std::size_t>(index)] == MPI_REQUEST_NULL);
        CHECK_EQ(values[static_cast<std::size_t>(index)], 100 + index);
        CHECK_EQ(status.MPI_TAG, index);
        CHECK_EQ(status.MPI_SOURCE, 0);
    }
    std::array<MPI_Request, count> requests{};
    std::array<int, count> values{};
};

constexpr std::array<int, count> order{7, 3, 11, 0, 5, 1, 10, 2, 9, 4, 8, 6};

void any() {
    batch some;
    int index = -1;
    int flag = 1;
    MPI_Status status;
    CHECK_MPI(MPI_Testany(count, some.requests.data(), &index, &flag, &status));
    CHECK_EQ(flag, 0);
    CHECK_EQ(index, MPI_UNDEFINED);
    for (const int next : order) {
        batch::release(next);
        if (next % 2 == 0) {
            CHECK_MPI(MPI_Waitany(count, some.requests.data(), &index, &status));
        } else {
            for (flag = 0; flag == 0;)
                CHECK_MPI(MPI_Testany(count, some.requests.data(), &index, &flag, &status));
        }
        CHECK_EQ(index, next);
        some.expect_done(next, status);
    }
    CHECK_MPI(MPI_Waitany(count, some.requests.data(), &index, &status));
    CHECK_EQ(index, MPI_UNDEFINED);
    expect_empty(status);
    flag = 0;
    CHECK_MPI(MPI_Testany(count, some.requests.data(), &index, &flag, &status));
    CHECK_EQ(flag, 1);
    CHECK_EQ(index, MPI_UNDEFINED);
    expect_empty(status);
}

void some() {
    batch all;
    int done = -1;
    std::array<int, count> indices{};
    std::array<MPI_Status, count> statuses{};
    CHECK_MPI(MPI_Testsome(count, all.requests.data(), &done, indices.data(), statuses.data()));
    CHECK_EQ(done, 0);
    for (std::size_t i = 0; i < order.size(); i += 3) {
        for (std::size_t k = i; k < i + 3; ++k)
            batch::release(order[k]);
        int seen = 0;
        while (seen < 3) {
            if (i % 2 == 0)
                CHECK_MPI(MPI_Waitsome(count, all.requests.data(), &done, indices.data(), statuses.data()));
            else
                CHECK_MPI(MPI_Testsome(count, all.requests.data(), &done, indices.data(), statuses.data()));
            CHECK(i % 2 != 0 || done > 0);
            for (std::size_t k = 0; k < static_cast<std::size_t>(done); ++k) {
                CHECK(std::find(order.begin() + static_cast<long>(i),
                                order.begin() + static_cast<long>(i) + 3,
                                indices[k]) != order.begin() + static_cast<long>(i) + 3);
                all.expect_done(indices[k], statuses[k]);
            }
            seen += done;
        }
        CHECK_EQ(seen, 3);
    }
    CHECK_MPI(MPI_Waitsome(count, all.requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE));
    CHECK_EQ(done, MPI_UNDEFINED);
    CHECK_MPI(MPI_Testsome(count, all.requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE));
    CHECK_EQ(done, MPI_UNDEFINED);
}

void all() {
    batch every;
    std::array<MPI_Status, count> statuses{};
    int flag = 1;
    for (const int next : order) {
        CHECK_MPI(MPI_Testall(count, every.requests.data(), &flag, statuses.data()));
        CHECK_EQ(flag, 0);
        batch::release(next);
    }
    for (flag = 0; flag == 0;)
        CHECK_MPI(MPI_Testall(count, every.requests.data(), &flag, statuses.data()));
    for (int i = 0; i < count; ++i)
        every.expect_done(i, statuses[static_cast<std::size_t>(i)]);
    CHECK_MPI(MPI_Waitall(count, every.requests.data(), statuses.data()));
    for (const MPI_Status &status : statuses)
        expect_empty(status);
    CHECK_MPI(MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE));
}

/// Null and inactive persistent requests complete at once with empty statuses, and stay what they are.
void inactive() {
    int value = 0;
    MPI_Request null = MPI_REQUEST_NULL;
    MPI_Request idle = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Recv_init(&value, 1, MPI_INT, 0, 40, MPI_COMM_SELF, &idle));
    for (MPI_Request *request : {&null, &idle}) {
        MPI_Status status;
        int flag = 0;
        CHECK_MPI(MPI_Wait(request, &status));
        expect_empty(status);
        CHECK_MPI(MPI_Test(request, &flag, &status));
        CHECK_EQ(flag, 1);
        expect_empty(status);
        flag = 0;
        CHECK_MPI(MPI_Request_get_status(*request, &flag, &status));
        CHECK_EQ(flag, 1);
        expect_empty(status);
    }
    CHECK(idle != MPI_REQUEST_NULL);
    std::array<MPI_Request, 2> both{null, idle};
    int index = 0;
    CHECK_MPI(MPI_Waitany(2, both.data(), &index, MPI_STATUS_IGNORE));
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK_MPI(MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE));
    CHECK_MPI(MPI_Request_free(&idle));
    CHECK(idle == MPI_REQUEST_NULL);
}

/// Looking does not complete.
void look() {
    int value = 0;
    int flag = 1;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, 0, 41, MPI_COMM_SELF, &request));
    CHECK_MPI(MPI_Request_get_status(request, &flag, &status));
    CHECK_EQ(flag, 0);
    const int out = 4711;
    CHECK_MPI(MPI_Send(&out, 1, MPI_INT, 0, 41, MPI_COMM_SELF));
    for (int i = 0; i < 3; ++i) {
        for (flag = 0; flag == 0;)
            CHECK_MPI(MPI_Request_get_status(request, &flag, &status));
        CHECK_EQ(status.MPI_TAG, 41);
        CHECK(request != MPI_REQUEST_NULL);
    }
    CHECK_EQ(value, 4711);
    CHECK_MPI(MPI_Wait(&request, &status));
    CHECK_EQ(status.MPI_TAG, 41);
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
void look_at_many() {
    batch many;
    int flag = 1;
    int index = -1;
    int done = -1;
    MPI_Status status;
    std::array<int, count> indices{};
    std::array<MPI_Status, count> statuses{};
    CHECK_MPI(MPI_Request_get_status_any(count, many.requests.data(), &index, &flag, &status));
    CHECK_EQ(flag, 0);
    CHECK_MPI(
        MPI_Request_get_status_some(count, many.requests.data(), &done, indices.data(), statuses.data()));
    CHECK_EQ(done, 0);
    batch::release(5);
    for (flag = 0; flag == 0;)
        CHECK_MPI(MPI_Request_get_status_any(count, many.requests.data(), &index, &flag, &status));
    CHECK_EQ(index, 5);
    CHECK_EQ(status.MPI_TAG, 5);
    CHECK_MPI(
        MPI_Request_get_status_some(count, many.requests.data(), &done, indices.data(), statuses.data()));
    CHECK_EQ(done, 1);
    CHECK_EQ(indices[0], 5);
    CHECK_EQ(statuses[0].MPI_TAG, 5);
    CHECK_MPI(MPI_Request_get_status_all(count, many.requests.data(), &flag, statuses.data()));
    CHECK_EQ(flag, 0);
    for (const int next : order)
        if (next != 5)
            batch::release(next);
    for (flag = 0; flag == 0;)
        CHECK_MPI(MPI_Request_get_status_all(count, many.requests.data(), &flag, statuses.data()));
    for (int i = 0; i < count; ++i) {
        CHECK(many.requests[static_cast<std::size_t>(i)] != MPI_REQUEST_NULL);
        CHECK_EQ(statuses[static_cast<std::size_t>(i)].MPI_TAG, i);
    }
    CHECK_MPI(MPI_Waitall(count, many.requests.data(), statuses.data()));
    for (int i = 0; i < count; ++i)
        many.expect_done(i, statuses[static_cast<std::size_t>(i)]);
    CHECK_MPI(MPI_Request_get_status_any(count, many.requests.data(), &index, &flag, &status));
    CHECK_EQ(flag, 1);
    CHECK_EQ(index, MPI_UNDEFINED);
    expect_empty(status);
    CHECK_MPI(
        MPI_Request_get_status_some(count, many.requests.data(), &done, indices.data(), statuses.data()));
    CHECK_EQ(done, MPI_UNDEFINED);
}
#endif

/// Requests between ranks, freed while they are active: the messages arrive all the same.
void freed_early(const check::job &job) {
    const int right = (job.rank + 1) % job.size;
    const int left = (job.rank + job.size - 1) % job.size;
    std::vector<int> out(50000, job.rank);
    std::vector<int> in(50000, -1);
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Isend(out.data(), 50000, MPI_INT, right, 1, MPI_COMM_WORLD, &request));
    CHECK_MPI(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_MPI(MPI_Recv(in.data(), 50000, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(std::all_of(in.begin(), in.end(), [left](int value) { return value == left; }));
    // The send buffer is ours again only when the receiver has said so.
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// A status that the program makes itself.
void own_status() {
    MPI_Status status{};
    CHECK_MPI(MPI_Status_set_elements(&status, MPI_INT, 5));
    CHECK_MPI(MPI_Status_set_cancelled(&status, 1));
    int value = 0;
    CHECK_MPI(MPI_Get_count(&status, MPI_INT, &value));
    CHECK_EQ(value, 5);
    CHECK_MPI(MPI_Get_elements(&status, MPI_INT, &value));
    CHECK_EQ(value, 5);
    CHECK_MPI(MPI_Test_cancelled(&status, &value));
    CHECK_EQ(value, 1);
    CHECK_MPI(MPI_Status_set_elements(&status, MPI_BYTE, 6));
    CHECK_MPI(MPI_Get_count(&status, MPI_INT, &value));
    CHECK_EQ(value, MPI_UNDEFINED);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    any();
    some();
    all();
    inactive();
    look();
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    look_at_many();
#endif
    freed_early(job);
    own_status();
}
