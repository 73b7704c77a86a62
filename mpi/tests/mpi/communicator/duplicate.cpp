// SPDX-License-Identifier: Apache-2.0
// Duplicates: messages stay in their communicator, what is inherited and what is not, non-blocking
// duplication, and communicators that are freed while operations are active.
#include "verify.hpp"

#include <cstring>

namespace {

std::vector<int> everyone(int size) {
    std::vector<int> all(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i)
        all[static_cast<std::size_t>(i)] = i;
    return all;
}

void messages_stay_apart(const check::job &job) {
    MPI_Comm copy = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    verify_intra(copy, everyone(job.size), job.rank);
    int result = 0;
    CHECK_MPI(MPI_Comm_compare(copy, MPI_COMM_WORLD, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    CHECK_MPI(MPI_Comm_compare(copy, copy, &result));
    CHECK_EQ(result, MPI_IDENT);
    // Sent first in the world, received first in the copy.
    const int dest = (job.rank + 1) % job.size;
    const int in_world = 100 + job.rank;
    const int in_copy = 200 + job.rank;
    MPI_Request requests[2];
    CHECK_MPI(MPI_Isend(&in_world, 1, MPI_INT, dest, 0, MPI_COMM_WORLD, &requests[0]));
    CHECK_MPI(MPI_Isend(&in_copy, 1, MPI_INT, dest, 0, copy, &requests[1]));
    const int source = (job.rank + job.size - 1) % job.size;
    int value = 0;
    CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE));
    CHECK_EQ(value, 200 + source);
    CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(value, 100 + source);
    CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_MPI(MPI_Comm_free(&copy));
}

void names_and_handlers(const check::job &) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    CHECK_MPI(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK_EQ(std::string{name}, "MPI_COMM_WORLD");
    CHECK_EQ(length, 14);
    CHECK_MPI(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
    CHECK_EQ(std::string{name}, "MPI_COMM_SELF");
    MPI_Comm first = MPI_COMM_NULL;
    MPI_Comm second = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &first));
    CHECK_MPI(MPI_Comm_set_errhandler(first, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_set_name(first, "first"));
    CHECK_MPI(MPI_Comm_dup(first, &second));
    CHECK_MPI(MPI_Comm_get_name(second, name, &length));
    CHECK_EQ(std::string{name}, "");
    CHECK_EQ(length, 0);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_Comm_get_errhandler(second, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    CHECK_MPI(MPI_Comm_free(&first));
    CHECK_MPI(MPI_Comm_free(&second));
}

std::string hint_of(MPI_Comm comm, const char *key) {
    MPI_Info info = MPI_INFO_NULL;
    CHECK_MPI(MPI_Comm_get_info(comm, &info));
    char value[64] = "";
    int length = sizeof value;
    int flag = 0;
    CHECK_MPI(MPI_Info_get_string(info, key, &length, value, &flag));
    CHECK_MPI(MPI_Info_free(&info));
    return flag != 0 ? value : "";
}

void hints(const check::job &) {
    const char *const key = "mpi_assert_no_any_tag";
    MPI_Info info = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&info));
    CHECK_MPI(MPI_Info_set(info, key, "true"));
    CHECK_MPI(MPI_Info_set(info, "unknown_hint", "anything"));
    MPI_Comm with = MPI_COMM_NULL;
    MPI_Comm without = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &with));
    CHECK_EQ(hint_of(with, key), "true");
    CHECK_EQ(hint_of(with, "unknown_hint"), "");
    CHECK_EQ(hint_of(with, "mpi_memory_alloc_kinds"), "mpi,system");
    CHECK_EQ(hint_of(MPI_COMM_WORLD, key), "false");
    // Hints are not inherited [MPI-5.0 7.4.2].
    CHECK_MPI(MPI_Comm_dup(with, &without));
    CHECK_EQ(hint_of(without, key), "false");
    CHECK_MPI(MPI_Info_set(info, key, "false"));
    CHECK_MPI(MPI_Comm_set_info(with, info));
    CHECK_EQ(hint_of(with, key), "false");
    CHECK_MPI(MPI_Info_free(&info));
    CHECK_MPI(MPI_Comm_free(&with));
    CHECK_MPI(MPI_Comm_free(&without));
}

/// Many at once, completed in another order on every rank, beside blocking ones.
void non_blocking(const check::job &job) {
    constexpr int many = 20;
    std::vector<MPI_Comm> copies(many, MPI_COMM_NULL);
    std::vector<MPI_Request> requests(many, MPI_REQUEST_NULL);
    for (int i = 0; i < many / 2; ++i)
        CHECK_MPI(MPI_Comm_idup(MPI_COMM_WORLD, &copies[static_cast<std::size_t>(i)],
                                &requests[static_cast<std::size_t>(i)]));
    MPI_Comm blocking = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &blocking));
    for (int i = many / 2; i < many; ++i)
        CHECK_MPI(MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copies[static_cast<std::size_t>(i)],
                                          &requests[static_cast<std::size_t>(i)]));
    for (int i = 0; i < many; ++i) {
        const auto at = static_cast<std::size_t>((i * 7 + job.rank) % many);
        CHECK_MPI(MPI_Wait(&requests[at], MPI_STATUS_IGNORE));
        CHECK(requests[at] == MPI_REQUEST_NULL);
    }
    verify_intra(blocking, everyone(job.size), job.rank);
    for (auto &copy : copies) {
        verify_intra(copy, everyone(job.size), job.rank);
        CHECK_MPI(MPI_Comm_free(&copy));
    }
    CHECK_MPI(MPI_Comm_free(&blocking));
}

void freed_while_active(const check::job &job) {
    MPI_Comm copy = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    const int dest = (job.rank + 1) % job.size;
    const int source = (job.rank + job.size - 1) % job.size;
    std::vector<int> out(50000, job.rank);
    std::vector<int> in(out.size(), -1), none(out.size(), -1);
    MPI_Request requests[2];
    CHECK_MPI(MPI_Irecv(none.data(), static_cast<int>(none.size()), MPI_INT, source, 0, copy, &requests[0]));
    MPI_Comm handle = copy;
    CHECK_MPI(MPI_Comm_free(&copy));
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    CHECK_MPI(MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_INT, dest, 0, copy, &requests[1]));
    int flag = 1;
    CHECK_MPI(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
    static_cast<void>(handle);
    CHECK_MPI(MPI_Recv(in.data(), static_cast<int>(in.size()), MPI_INT, source, 0, copy, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Cancel(&requests[0]));
    CHECK_MPI(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK(in == std::vector<int>(in.size(), source));
    CHECK_MPI(MPI_Comm_free(&copy));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    messages_stay_apart(job);
    names_and_handlers(job);
    hints(job);
    non_blocking(job);
    freed_while_active(job);
    return 0;
}
