// SPDX-License-Identifier: Apache-2.0
// What Lisle reserves leaves room for a program where address space is limited to a gigabyte: long messages,
// windows of all flavours, memory of MPI_Alloc_mem and a file, at 16 ranks, each of which allocates on its
// own thread.
#include <mpi.h>

#include <cstdio>
#include <memory>
#include <string>
#include <unistd.h>

namespace {

int wrong = 0;

void expect(int code, const char *call) {
    if (code != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        int length = 0;
        MPI_Error_string(code, text, &length);
        std::fprintf(stderr, "%s: %s\n", call, text);
        ++wrong;
    }
}

void send_around(int rank, int size) {
    constexpr int bytes = 1 << 20;
    const auto out = std::make_unique<char[]>(bytes), in = std::make_unique<char[]>(bytes);
    out[bytes - 1] = static_cast<char>(rank);
    expect(MPI_Sendrecv(out.get(), bytes, MPI_BYTE, (rank + 1) % size, 0, in.get(), bytes, MPI_BYTE,
                        (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
           "MPI_Sendrecv");
    if (in[bytes - 1] != static_cast<char>((rank + size - 1) % size)) {
        std::fprintf(stderr, "rank %d got another message\n", rank);
        ++wrong;
    }
}

void make_windows() {
    void *base = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    expect(MPI_Win_allocate(1 << 20, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window), "MPI_Win_allocate");
    expect(MPI_Win_free(&window), "MPI_Win_free");
    expect(MPI_Win_allocate_shared(1 << 20, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window),
           "MPI_Win_allocate_shared");
    expect(MPI_Win_free(&window), "MPI_Win_free");
    expect(MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &base), "MPI_Alloc_mem");
    expect(MPI_Free_mem(base), "MPI_Free_mem");
}

void open_file() {
    int process = getpid(); // the first rank's distinguishes files of jobs that run at the same time
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    const std::string name = "one_gigabyte_" + std::to_string(process);
    MPI_File file = MPI_FILE_NULL;
    expect(MPI_File_open(MPI_COMM_WORLD, name.c_str(),
                         MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file),
           "MPI_File_open");
    if (file != MPI_FILE_NULL) {
        expect(MPI_File_close(&file), "MPI_File_close");
    }
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    send_around(rank, size);
    make_windows();
    open_file();
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
