// SPDX-License-Identifier: Apache-2.0
// Ends in the way that the first argument says; only the rank of the second argument does (others return 0).
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern "C" int lone_job_rank(void);

static void report() {
    std::printf("handler of %d\n", lone_job_rank());
}

static void exit_again() {
    std::exit(9);
}

static int overflow(volatile char *above) {
    volatile char room[4096];
    room[0] = static_cast<char>(*above + 1);
    return overflow(room) + room[0];
}

static int nested(int depth) {
    if (depth == 0) {
        std::exit(4);
    }
    return nested(depth - 1) + 1;
}

int main(int, char **argv) {
    const std::string how = argv[1];
    std::atexit(report);
    std::at_quick_exit([] { static_cast<void>(!write(1, "quick handler\n", 14)); });
    if (lone_job_rank() != std::atoi(argv[2])) {
        return 0;
    }
    if (how == "return") {
        return 3;
    } else if (how == "nested") {
        nested(10);
    } else if (how == "_exit") {
        _exit(5);
    } else if (how == "quick") {
        std::quick_exit(6);
    } else if (how == "again") {
        std::atexit(exit_again);
        std::exit(1);
    } else if (how == "abort") {
        std::abort();
    } else if (how == "throw") {
        throw 1;
    } else if (how == "segv") {
        *static_cast<volatile int *>(nullptr) = 1;
    } else if (how == "overflow") {
        volatile char bottom = 0;
        return overflow(&bottom);
    } else if (how == "raise") {
        std::raise(SIGFPE);
    } else if (how == "thread") {
        std::thread([] { std::exit(7); }).join();
    } else if (how == "pthread_exit") {
        std::thread([] {
            usleep(50000);
            std::printf("last thread\n");
        }).detach();
        pthread_exit(nullptr);
    } else if (how == "fork") {
#if defined(__SANITIZE_ADDRESS__)
        sleep(1); // a rank that begins or ends may hold the sanitizer's lock, which the child would inherit
#endif
        const pid_t child = fork();
        if (child == 0) {
            std::printf("child\n");
            std::exit(8);
        }
        int status = 0;
        waitpid(child, &status, 0);
        return WEXITSTATUS(status);
    } else if (how == "system") {
        return WEXITSTATUS(std::system("exit 4"));
    }
    return 0;
}
