// SPDX-License-Identifier: Apache-2.0
// Generalized requests: the program's own operations, completed by another thread, waited for together with
// real messages; the callbacks are called when, and as often as, the standard says.
#include "payload.hpp"

#include <array>
#include <chrono>
#include <thread>

namespace {

struct operation {
    int queried = 0;
    int freed = 0;
    int cancelled = 0;
    int cancelled_complete = -1;
};

int query(void *state, MPI_Status *status) {
    ++static_cast<operation *>(state)->queried;
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 17;
    status->MPI_TAG = 18;
    return MPI_SUCCESS;
}
int release(void *state) {
    ++static_cast<operation *>(state)->freed;
    return MPI_SUCCESS;
}
int cancel(void *state, int complete) {
    auto *const self = static_cast<operation *>(state);
    ++self->cancelled;
    self->cancelled_complete = complete;
    return MPI_SUCCESS;
}

MPI_Request begin(operation &state) {
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Grequest_start(query, release, cancel, &state, &request));
    return request;
}

void completed_by_a_thread() {
    operation state;
    MPI_Request request = begin(state);
    int flag = 1;
    CHECK_MPI(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
    CHECK_MPI(MPI_Cancel(&request));
    CHECK_EQ(state.cancelled, 1);
    CHECK_EQ(state.cancelled_complete, 0);
    std::thread worker([request] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK_MPI(MPI_Grequest_complete(request));
    });
    MPI_Status status;
    CHECK_MPI(MPI_Wait(&request, &status));
    worker.join();
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_EQ(status.MPI_SOURCE, 17);
    CHECK_EQ(status.MPI_TAG, 18);
    int count = 0;
    CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(count, 3);
    CHECK_EQ(state.queried, 1);
    CHECK_EQ(state.freed, 1);
}

void together_with_messages(const check::job &job) {
    operation state;
    const int right = (job.rank + 1) % job.size;
    const int left = (job.rank + job.size - 1) % job.size;
    int in = -1;
    std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, begin(state), MPI_REQUEST_NULL};
    CHECK_MPI(MPI_Irecv(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]));
    CHECK_MPI(MPI_Isend(&job.rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[2]));
    CHECK_MPI(MPI_Grequest_complete(requests[1]));
    std::array<MPI_Status, 3> statuses{};
    CHECK_MPI(MPI_Waitall(3, requests.data(), statuses.data()));
    CHECK_EQ(in, left);
    CHECK_EQ(statuses[1].MPI_TAG, 18);
    CHECK_EQ(state.freed, 1);
}

/// Freed before it is complete: the free callback comes after completion.
void freed_first() {
    operation state;
    MPI_Request request = begin(state);
    MPI_Request kept = request;
    CHECK_MPI(MPI_Request_free(&request));
    CHECK_EQ(state.freed, 0);
    CHECK_MPI(MPI_Grequest_complete(kept));
    CHECK_EQ(state.freed, 1);
}

constexpr int failing = MPI_ERR_NO_SPACE;
int release_in_vain(void *state) {
    ++static_cast<operation *>(state)->freed;
    return failing;
}
int cancel_in_vain(void *, int) {
    return MPI_ERR_ACCESS;
}

MPI_Request begin_failing(operation &state) {
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Grequest_start(query, release_in_vain, cancel_in_vain, &state, &request));
    return request;
}

/// What the callbacks return is the call's error.
void failing_callbacks() {
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    operation state;
    MPI_Request request = begin_failing(state);
    CHECK_ERROR(MPI_ERR_ACCESS, MPI_Cancel(&request));
    CHECK_MPI(MPI_Grequest_complete(request));
    CHECK_ERROR(failing, MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(request == MPI_REQUEST_NULL);

    request = begin_failing(state);
    CHECK_MPI(MPI_Grequest_complete(request));
    int flag = 0;
    CHECK_ERROR(failing, MPI_Test(&request, &flag, MPI_STATUS_IGNORE));

    std::array<MPI_Request, 2> requests{begin(state), begin_failing(state)};
    CHECK_MPI(MPI_Grequest_complete(requests[0]));
    CHECK_MPI(MPI_Grequest_complete(requests[1]));
    std::array<MPI_Status, 2> statuses{};
    CHECK_ERROR(MPI_ERR_IN_STATUS, MPI_Waitall(2, requests.data(), statuses.data()));
    CHECK_EQ(statuses[0].MPI_ERROR, static_cast<int>(MPI_SUCCESS));
    CHECK_EQ(statuses[1].MPI_ERROR, failing);

    request = begin_failing(state);
    CHECK_MPI(MPI_Grequest_complete(request));
    CHECK_ERROR(failing, MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_EQ(state.freed, 5);
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv, MPI_THREAD_MULTIPLE);
    if (job.threads)
        completed_by_a_thread();
    together_with_messages(job);
    freed_first();
    failing_callbacks();
}
