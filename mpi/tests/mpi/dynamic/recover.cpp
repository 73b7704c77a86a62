// SPDX-License-Identifier: Apache-2.0
// Parents and children that go on when a child has died: what both groups agree on, and what is left of them.
#include "check.hpp"

#include <csignal>
#include <string_view>

namespace {

constexpr int children = 3;
constexpr int dying = 1;

struct sizes {
    int local = 0, remote = 0;
};
sizes sizes_of(MPI_Comm inter) {
    sizes found;
    CHECK_MPI(MPI_Comm_size(inter, &found.local));
    CHECK_MPI(MPI_Comm_remote_size(inter, &found.remote));
    return found;
}

/// All bits but the first `count` ones from `first` on.
int all_but(int first, int count) {
    return static_cast<int>(~(((1U << count) - 1) << first));
}

/// Each rank clears a bit of its own, and sees which ones the other group has cleared.
void agree(MPI_Comm inter, bool is_child) {
    int rank = 0;
    CHECK_MPI(MPI_Comm_rank(inter, &rank));
    int flag = all_but((is_child ? 16 : 0) + rank, 1);
    CHECK_MPI(MPIX_Comm_agree(inter, &flag));
    CHECK_EQ(flag, all_but(is_child ? 0 : 16, sizes_of(inter).remote));
}

void go_on(MPI_Comm inter, bool is_child) {
    const sizes before = sizes_of(inter);
    int flag = 1;
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, MPIX_Comm_agree(inter, &flag));
    CHECK_EQ(flag, 1);
    CHECK_MPI(MPIX_Comm_revoke(inter));
    MPI_Comm left = MPI_COMM_NULL, whole = MPI_COMM_NULL;
    CHECK_MPI(MPIX_Comm_shrink(inter, &left));
    CHECK_MPI(MPI_Comm_free(&inter));
    const sizes after = sizes_of(left);
    CHECK_EQ(is_child ? after.local : after.remote, children - 1);
    CHECK_EQ(is_child ? after.remote : after.local, is_child ? before.remote : before.local);
    agree(left, is_child);
    CHECK_MPI(MPI_Intercomm_merge(left, is_child ? 1 : 0, &whole));
    CHECK_MPI(MPI_Comm_disconnect(&left));
    int mine = 1, sum = 0;
    CHECK_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, whole));
    CHECK_EQ(sum, after.local + after.remote);
    CHECK_MPI(MPI_Comm_disconnect(&whole));
}

/// What the parents have asked for.
void check_handler() {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    char name[MPI_MAX_INFO_VAL] = "";
    int length = sizeof name, found = 0;
    CHECK_MPI(MPI_Info_get_string(MPI_INFO_ENV, "mpi_initial_errhandler", &length, name, &found));
    CHECK(found != 0 && std::string_view{name} == "mpi_errors_return");
}

MPI_Comm spawn(char *program) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Info hints = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&hints));
    CHECK_MPI(MPI_Info_set(hints, "mpi_initial_errhandler", "mpi_errors_return"));
    CHECK_MPI(MPI_Comm_spawn(program, MPI_ARGV_NULL, children, hints, 0, MPI_COMM_WORLD, &made,
                             MPI_ERRCODES_IGNORE));
    CHECK_MPI(MPI_Info_free(&hints));
    return made;
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    MPI_Comm inter = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_get_parent(&inter));
    const bool is_child = inter != MPI_COMM_NULL;
    if (is_child)
        check_handler();
    else
        inter = spawn(argv[0]);
    CHECK_MPI(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    agree(inter, is_child);
    if (is_child && job.rank == dying)
        std::raise(SIGKILL);
    go_on(inter, is_child);
}
