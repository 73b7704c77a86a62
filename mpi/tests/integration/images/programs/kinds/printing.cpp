// SPDX-License-Identifier: Apache-2.0
// Prints as the first argument says; check_kinds.py compares.
#include <mpi.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

void full() {
    std::printf("nobody has room for this");
    errno = 0;
    const int flushed = std::fflush(stdout);
    const int reason = errno;
    const int seen = std::ferror(stdout) != 0;
    std::printf("nor for this");
    const int closed = std::fclose(stdout);
    std::clearerr(stdout);
    const int cleared = std::ferror(stdout);
    std::cout << "nor for that" << std::flush;
    std::fprintf(stderr, "fflush %d ferror %d ENOSPC %d fclose %d clearerr %d cout %d\n", flushed, seen,
                 reason == ENOSPC, closed, cleared, std::cout.fail());
}

void single(long count) {
    for (long i = 0; i != count; ++i) {
        std::putchar('a');
        std::printf("b");
        std::cout << 'c';
    }
}

void print(char what, long count) {
    for (long i = 0; i != count; ++i) {
        std::putc(what, stdout);
    }
}

// All ranks flush all files while others print.
void flushed(long count) {
    for (long i = 0; i != count; i += 100) {
        print('a', 100);
        std::fflush(nullptr);
    }
}

void from_threads(long count) {
    print('a', count);
    std::thread other{print, 'b', count};
    print('c', count);
    other.join();
}

// Ranks that wait help the others.
void from_helpers(long count) {
    MPIX_Parallel(
        count / 100, [](void *, long) { print('a', 100); }, nullptr);
    MPI_Barrier(MPI_COMM_WORLD);
}

void one_long_line(int rank, long length) {
    for (long i = 0; i != length; ++i) {
        std::putchar('0' + rank);
    }
    std::puts("");
}

void assigned() {
    std::FILE *const former = stdout;
    stdout = fdopen(dup(STDOUT_FILENO), "w");
    std::puts("to another");
    std::fclose(stdout);
    stdout = former;
    std::puts("to stdout");
}

} // namespace

int main(int count, char **words) {
    MPI_Init(&count, &words);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::string what = words[1];
    if (what == "full") {
        full();
    } else if (what == "single") {
        single(std::atol(words[2]));
    } else if (what == "flushed") {
        flushed(std::atol(words[2]));
    } else if (what == "threads") {
        from_threads(std::atol(words[2]));
    } else if (what == "helpers") {
        from_helpers(std::atol(words[2]));
    } else if (what == "long") {
        one_long_line(rank, std::atol(words[2]));
    } else if (what == "assigned") {
        assigned();
    }
    MPI_Finalize();
    if (what == "_exit") {
        std::puts("flushed");
        std::fflush(stdout);
        std::fputs("lost", stdout); // no complete line
        _exit(0);
    }
}
