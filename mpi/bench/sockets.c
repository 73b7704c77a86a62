/* SPDX-License-Identifier: Apache-2.0
 * No MPI: a bare ping-pong over one TCP connection, both sides polling without a pause, and windows of short
 * messages as in rate.c, each sent by a call of its own: what the kernel takes. Without an argument the
 * process listens, with an address it connects; the latter prints results. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { port = 29431, largest = 16777216, most_batches = 21, window = 64, windows = 500, short_size = 8 };

static void stop(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void move(int connection, char *data, size_t size, int sends) {
    while (size != 0) {
        const ssize_t moved = sends ? send(connection, data, size, 0) : recv(connection, data, size, 0);
        if (moved == 0 || (moved < 0 && errno != EAGAIN))
            stop("connection");
        if (moved > 0) {
            data += moved;
            size -= (size_t)moved;
        }
    }
}

static int connect_to(const char *address) {
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, address, &where.sin_addr);
    for (int tries = 0; tries < 500; ++tries) {
        const int made = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(made, (struct sockaddr *)&where, sizeof where) == 0)
            return made;
        close(made);
        usleep(10000);
    }
    stop("connect");
    return -1;
}

static int accept_one(void) {
    const int yes = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(port)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&own, sizeof own) != 0 || listen(listener, 1) != 0)
        stop("listen");
    return accept(listener, NULL, NULL);
}

static double batch(int connection, int first, char *data, size_t size, int count) {
    const double start = now();
    for (int i = 0; i < count; ++i) {
        move(connection, data, size, first);
        move(connection, data, size, !first);
    }
    return (now() - start) / count / 2;
}

/* Messages a second. */
static double window_batch(int connection, int first, char *data) {
    const double start = now();
    for (int w = 0; w < windows; ++w) {
        if (first)
            for (int i = 0; i < window; ++i)
                move(connection, data, short_size, 1);
        else
            move(connection, data, (size_t)window * short_size, 0);
        move(connection, data, 1, !first);
    }
    return (double)window * windows / (now() - start);
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    static const int sizes[] = {8, 64, 512, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216};
    const int first = argc > 1, yes = 1, connection = first ? connect_to(argv[1]) : accept_one();
    char *data = calloc(1, largest);
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    fcntl(connection, F_SETFL, O_NONBLOCK);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const int count = sizes[s] <= 4096 ? 1000 : sizes[s] <= 65536 ? 200 : sizes[s] <= 1048576 ? 20 : 3;
        double times[most_batches];
        batch(connection, first, data, (size_t)sizes[s], count);
        for (int i = 0; i < most_batches; ++i)
            times[i] = batch(connection, first, data, (size_t)sizes[s], count);
        qsort(times, most_batches, sizeof *times, compare);
        if (first)
            printf("latency %d %.9g\n", sizes[s], times[most_batches / 2]);
    }
    double rates[most_batches];
    window_batch(connection, first, data);
    for (int i = 0; i < most_batches; ++i)
        rates[i] = window_batch(connection, first, data);
    qsort(rates, most_batches, sizeof *rates, compare);
    if (first)
        printf("rate %d %.9g\n", short_size, rates[most_batches / 2]);
    return 0;
}
