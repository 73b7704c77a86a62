// SPDX-License-Identifier: Apache-2.0
// Makes calls in a job that has lost its last process, and prints how each ends, a line "ROW RANK CLASS" for
// each. The classes are compared by every_call_test.py.
//   every_call list          the rows, "ROW HOW FUNCTIONS..."
//   every_call after [ROW]   all rows, or one, when every survivor has noticed the death
//   every_call during ROW    one row, while the process dies
#include "calls.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace recovery;

std::vector<row> all_rows() {
    std::vector<row> all;
    for (const auto rows :
         {message_calls(), collective_calls(), communicator_calls(), window_calls(), file_calls()})
        all.insert(all.end(), rows.begin(), rows.end());
    return all;
}
std::string name_of(const row &one) {
    return {one.functions, std::strcspn(one.functions, " ")};
}

/// What a row needs, while all are alive.
void prepare(surroundings &at, const row &one, MPI_Comm part) {
    const losing_job &job = at.job;
    const int periodic = 1;
    const bool lower = job.rank < job.alive / 2;
    MPI_Comm half = MPI_COMM_NULL;
    at.part = part;
    at.counts.fill(1);
    at.types.fill(MPI_INT);
    switch (one.what) {
    case need::ring:
        CHECK_MPI(MPI_Cart_create(MPI_COMM_WORLD, 1, &job.size, &periodic, 0, &at.comm));
        break;
    case need::inter:
        CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, lower ? 0 : 1, 0, &half));
        CHECK_MPI(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, lower ? job.alive / 2 : 0, 0, &at.comm));
        CHECK_MPI(MPI_Comm_free(&half));
        break;
    default:
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &at.comm));
    }
    CHECK_MPI(MPI_Comm_set_errhandler(at.comm, MPI_ERRORS_RETURN));
    if (one.what == need::window) {
        CHECK_MPI(MPI_Win_create(at.take.data() + 2048, 4096, 4, MPI_INFO_NULL, at.comm, &at.window));
        CHECK_MPI(MPI_Win_set_errhandler(at.window, MPI_ERRORS_RETURN));
    }
    if (one.what == need::file) {
        const char *const folder = std::getenv("TMPDIR");
        const std::string path = std::string{folder != nullptr ? folder : "/tmp"} + "/lisle_every_call_" +
                                 std::to_string(static_cast<long>(getppid())) + "_" + name_of(one);
        CHECK_MPI(MPI_File_open(at.comm, path.c_str(),
                                MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                                &at.file));
        CHECK_MPI(MPI_File_set_errhandler(at.file, MPI_ERRORS_RETURN));
        if (job.rank == 0)
            unlink(path.c_str());
    }
}

void run(surroundings &at, const row &one) {
    const int error = one.call(at);
    std::printf("%s %d %d\n", name_of(one).c_str(), at.job.rank, check::error_class(error));
    std::fflush(stdout);
}

void list() {
    constexpr const char *how[] = {"fails", "works", "either"};
    for (const row &one : all_rows())
        std::printf("%s %s %s\n", name_of(one).c_str(), how[static_cast<int>(one.how)], one.functions);
}

} // namespace

int main(int argc, char **argv) {
    if (argc > 1 && std::strcmp(argv[1], "list") == 0) {
        list();
        return 0;
    }
    const losing_job job{&argc, &argv};
    const bool during = argc > 1 && std::strcmp(argv[1], "during") == 0;
    MPI_Comm part = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, job.doomed ? 1 : 0, 0, &part));
    CHECK_MPI(MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN));
    std::vector<row> rows = all_rows();
    if (argc > 2)
        std::erase_if(rows, [&](const row &one) { return name_of(one) != argv[2]; });
    // Longer than MPI: windows that cannot be freed any more are in it, and other survivors may be writing
    // there.
    static std::vector<std::unique_ptr<surroundings>> prepared;
    for (const row &one : rows) {
        prepared.push_back(
            std::make_unique<surroundings>(job, job.size - 1, (job.rank + 1) % std::max(job.alive, 1)));
        prepare(*prepared.back(), one, part);
    }
    job.lose_doomed();
    if (!during)
        job.await_death();
    for (std::size_t at = 0; at < rows.size(); ++at)
        run(*prepared[at], rows[at]);
    for (const auto &each : prepared)
        if (each->comm != MPI_COMM_NULL)
            CHECK_MPI(MPI_Comm_free(&each->comm));
    CHECK_MPI(MPI_Comm_free(&part));
}
