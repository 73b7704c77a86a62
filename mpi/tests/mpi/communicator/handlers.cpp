// SPDX-License-Identifier: Apache-2.0
// Error handlers that do not return: they throw, or jump past the call that met the error. Nothing stays
// locked or half done, so the same ranks go on with messages, collectives and new communicators. Handlers
// that do return: the call returns the code that they leave. Handlers with a state of their own.
#include "check.hpp"

#include <csetjmp>
#include <functional>
#include <stdexcept>
#include <vector>

namespace {

std::jmp_buf after_the_call;

struct thrown : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void throw_error(MPI_Comm *, int *code, ...) {
    throw thrown{check::error_text(*code)};
}

void jump_away(MPI_Comm *, int *, ...) {
    std::longjmp(after_the_call, 1); // NOLINT(cert-err52-cpp): what programs in C do
}

using wrong_call = std::function<void(MPI_Comm)>;

std::vector<wrong_call> wrong_calls() {
    static int word = 0;
    return {
        [](MPI_Comm comm) { MPI_Send(&word, 1, MPI_INT, 1 << 20, 0, comm); },
        [](MPI_Comm comm) { MPI_Recv(&word, 1, MPI_INT, 0, -5, comm, MPI_STATUS_IGNORE); },
        [](MPI_Comm comm) { MPI_Send(&word, -1, MPI_INT, 0, 0, comm); },
        [](MPI_Comm comm) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Isend(&word, 1, MPI_DATATYPE_NULL, 0, 0, comm, &request);
        },
        [](MPI_Comm comm) { MPI_Bcast(&word, 1, MPI_INT, -7, comm); },
        [](MPI_Comm comm) { MPI_Allreduce(&word, &word, 1, MPI_INT, MPI_OP_NULL, comm); },
        [](MPI_Comm comm) {
            MPI_Comm made = MPI_COMM_NULL;
            MPI_Comm_create(comm, MPI_GROUP_NULL, &made);
        },
        [](MPI_Comm comm) { // met by the receiver while it waits: the message is longer than its buffer
            int own = -1;
            MPI_Comm_rank(comm, &own);
            const int two[2] = {1, 2};
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Isend(two, 2, MPI_INT, own, 3, comm, &request);
            MPI_Request_free(&request);
            MPI_Recv(&word, 1, MPI_INT, own, 3, comm, MPI_STATUS_IGNORE);
        },
    };
}

/// True if the call has thrown.
bool throws(const wrong_call &call, MPI_Comm comm) {
    try {
        call(comm);
    } catch (const thrown &error) {
        return error.what()[0] != '\0';
    }
    return false;
}

/// True if the handler has jumped away.
bool jumps(const wrong_call &call, MPI_Comm comm) {
    if (setjmp(after_the_call) != 0) // NOLINT(cert-err52-cpp)
        return true;
    call(comm);
    return false;
}

/// What the ranks do together still works.
void go_on(const check::job &job, MPI_Comm comm) {
    int sum = 0;
    CHECK_MPI(MPI_Allreduce(&job.rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, job.size * (job.size - 1) / 2);
    const int next = (job.rank + 1) % job.size;
    const int before = (job.rank + job.size - 1) % job.size;
    int got = -1;
    CHECK_MPI(
        MPI_Sendrecv(&job.rank, 1, MPI_INT, next, 4, &got, 1, MPI_INT, before, 4, comm, MPI_STATUS_IGNORE));
    CHECK_EQ(got, before);
    MPI_Comm made = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(comm, &made));
    CHECK_MPI(MPI_Comm_free(&made));
}

void check_all(const check::job &job, MPI_Comm_errhandler_function *handle,
               bool (*leaves)(const wrong_call &, MPI_Comm)) {
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_Comm_create_errhandler(handle, &handler));
    CHECK_MPI(MPI_Comm_set_errhandler(comm, handler));
    int number = 0;
    for (const wrong_call &call : wrong_calls()) {
        if (!leaves(call, comm))
            check::fail(__FILE__, __LINE__, "the handler was not left by call " + std::to_string(number));
        go_on(job, comm);
        ++number;
    }
    CHECK_MPI(MPI_Errhandler_free(&handler));
    CHECK_MPI(MPI_Comm_free(&comm));
}

void excuse(MPI_Comm *, int *code, ...) {
    *code = MPI_SUCCESS;
}

void codes_of_handlers() {
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_Comm_create_errhandler(excuse, &handler));
    CHECK_MPI(MPI_Comm_set_errhandler(comm, handler));
    int word = 0;
    CHECK_EQ(MPI_Send(&word, -1, MPI_INT, 0, 0, comm), MPI_SUCCESS);
    CHECK_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Send(&word, -1, MPI_INT, 0, 0, comm));
    CHECK_MPI(MPI_Errhandler_free(&handler));
    CHECK_MPI(MPI_Comm_free(&comm));
}

struct heard {
    MPI_Comm comm = MPI_COMM_NULL;
    int code = MPI_SUCCESS;
    int destroyed = 0;
};

/// The state is given to the handler, and to the destructor when nobody has the handler any more.
void states_of_handlers() {
    heard state;
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    const auto hear = [](MPI_Comm on, int code, void *given) {
        auto &into = *static_cast<heard *>(given);
        into.comm = on;
        into.code = code;
    };
    const auto destroy = [](void *given) { ++static_cast<heard *>(given)->destroyed; };
    CHECK_MPI(MPIX_Comm_create_errhandler_x(hear, destroy, &state, &handler));
    CHECK_MPI(MPI_Comm_set_errhandler(comm, handler));
    CHECK_MPI(MPI_Errhandler_free(&handler));
    int word = 0;
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Send(&word, -1, MPI_INT, 0, 0, comm));
    CHECK(state.comm == comm);
    CHECK_ERROR(MPI_ERR_COUNT, state.code);
    CHECK_EQ(state.destroyed, 0);
    CHECK_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK_EQ(state.destroyed, 1);
    CHECK_MPI(MPIX_Win_create_errhandler_x([](MPI_Win, int, void *) {}, nullptr, nullptr, &handler));
    CHECK_ERROR(MPI_ERR_ERRHANDLER, MPI_Comm_set_errhandler(comm, handler));
    CHECK_MPI(MPI_Errhandler_free(&handler));
    CHECK_MPI(MPI_Comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    check_all(job, throw_error, throws);
    check_all(job, jump_away, jumps);
    codes_of_handlers();
    states_of_handlers();
}
