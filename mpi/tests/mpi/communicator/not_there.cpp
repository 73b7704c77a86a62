// SPDX-License-Identifier: Apache-2.0
// Calls that the library does not have are errors as any others: the error handler of the communicator or
// session that they are about hears of them. And what a job without spawned processes can answer, it answers.
#include "check.hpp"

namespace {

int calls = 0;
MPI_Comm heard_of = MPI_COMM_NULL;
int heard_code = MPI_SUCCESS;

void on_error(MPI_Comm *comm, int *code, ...) {
    ++calls;
    heard_of = *comm;
    heard_code = *code;
}

int file_calls = 0;
void on_file_error(MPI_File *file, int *, ...) {
    CHECK(*file == MPI_FILE_NULL);
    ++file_calls;
}

void windows() {
    MPI_Comm own = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &own));
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_Comm_create_errhandler(on_error, &handler));
    CHECK_MPI(MPI_Comm_set_errhandler(own, handler));
    int word = 0;
    MPI_Win window = MPI_WIN_NULL;
    const int code = MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, own, &window);
    if (code == MPI_SUCCESS) { // it has them
        CHECK_MPI(MPI_Win_free(&window));
    } else {
        CHECK_EQ(check::error_class(code), MPI_ERR_UNSUPPORTED_OPERATION);
        CHECK_EQ(calls, 1);
        CHECK(heard_of == own);
        CHECK_EQ(heard_code, code);
        CHECK(window == MPI_WIN_NULL);
    }
    CHECK_MPI(MPI_Errhandler_free(&handler));
    CHECK_MPI(MPI_Comm_free(&own));
}

void files() {
    // The handler of no file returns codes at first, whatever that of communicators does.
    MPI_Errhandler first = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_File_get_errhandler(MPI_FILE_NULL, &first));
    CHECK(first == MPI_ERRORS_RETURN);
    MPI_File file = MPI_FILE_NULL;
    CHECK(MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) !=
          MPI_SUCCESS);
    CHECK(file == MPI_FILE_NULL);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_File_create_errhandler(on_file_error, &handler));
    CHECK_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    CHECK(MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) !=
          MPI_SUCCESS);
    CHECK_EQ(file_calls, 1);
    CHECK_MPI(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO));
    CHECK_EQ(file_calls, 2);
    CHECK_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Errhandler_free(&handler));
}

void later_processes() {
    MPI_Comm parent = MPI_COMM_WORLD;
    CHECK_MPI(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);

    int *universe = nullptr;
    int found = 0;
    CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, static_cast<void *>(&universe), &found));
    int size = 0;
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(found != 0 && *universe >= size);

    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    char port[MPI_MAX_PORT_NAME];
    CHECK_ERROR(MPI_ERR_NAME, MPI_Lookup_name("nobody", MPI_INFO_NULL, port));
    CHECK_ERROR(MPI_ERR_SERVICE, MPI_Unpublish_name("nobody", MPI_INFO_NULL, "no port"));
    CHECK_ERROR(MPI_ERR_PORT, MPI_Close_port("no port"));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    windows();
    files();
    later_processes();
}
