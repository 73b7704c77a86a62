/* SPDX-License-Identifier: Apache-2.0
 * No MPI: a bare ping-pong over reliable datagrams of libfabric, both sides polling without a pause: what the
 * provider takes. Arguments: the provider, and the address of the process that listens ("-": listen). Only
 * the other prints results. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { port = 29432, largest = 1048576, most_batches = 21, most_address = 128 };

static struct fi_info *chosen;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_cq *completions;
static struct fid_av *addresses;
static struct fid_ep *endpoint;
static fi_addr_t peer;
static struct fi_context2 receiving, sending;

static void must(long status, const char *what) {
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", what, fi_strerror((int)-status));
        exit(1);
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A connection over which the two tell each other their addresses. */
static int meet(const char *where) {
    const int listens = strcmp(where, "-") == 0, yes = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (listens) {
        const int listener = socket(AF_INET, SOCK_STREAM, 0);
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0)
            must(-1, "listen");
        return accept(listener, NULL, NULL);
    }
    inet_pton(AF_INET, where, &address.sin_addr);
    for (int tries = 0; tries < 500; ++tries) {
        const int made = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(made, (struct sockaddr *)&address, sizeof address) == 0)
            return made;
        close(made);
        usleep(10000);
    }
    must(-1, "connect");
    return -1;
}

/* Opens an endpoint on the interface that the connection went over. */
static void open_endpoint(const char *provider, int connection) {
    struct sockaddr_in own;
    socklen_t bytes = sizeof own;
    char node[INET_ADDRSTRLEN];
    struct fi_info *hints = fi_allocinfo();
    struct fi_cq_attr cq = {.size = 64, .format = FI_CQ_FORMAT_CONTEXT};
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    getsockname(connection, (struct sockaddr *)&own, &bytes);
    inet_ntop(AF_INET, &own.sin_addr, node, sizeof node);
    hints->ep_attr->type = FI_EP_RDM;
    hints->caps = FI_MSG;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->fabric_attr->prov_name = strdup(provider);
    must(fi_getinfo(FI_VERSION(1, 17), node, NULL, FI_SOURCE, hints, &chosen), "fi_getinfo");
    must(fi_fabric(chosen->fabric_attr, &fabric, NULL), "fi_fabric");
    must(fi_domain(fabric, chosen, &domain, NULL), "fi_domain");
    must(fi_cq_open(domain, &cq, &completions, NULL), "fi_cq_open");
    must(fi_av_open(domain, &av, &addresses, NULL), "fi_av_open");
    must(fi_endpoint(domain, chosen, &endpoint, NULL), "fi_endpoint");
    must(fi_ep_bind(endpoint, &completions->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    must(fi_ep_bind(endpoint, &addresses->fid, 0), "fi_ep_bind");
    must(fi_enable(endpoint), "fi_enable");
}

static void exchange_addresses(int connection) {
    char own[most_address] = {0}, other[most_address];
    size_t bytes = sizeof own;
    must(fi_getname(&endpoint->fid, own, &bytes), "fi_getname");
    if (send(connection, own, sizeof own, 0) != sizeof own ||
        recv(connection, other, sizeof other, MSG_WAITALL) != sizeof other)
        must(-1, "exchange");
    must(fi_av_insert(addresses, other, 1, &peer, 0, NULL) == 1 ? 0 : -1, "fi_av_insert");
}

static int sent = 1, received;

static void poll_once(void) {
    struct fi_cq_entry ended;
    const ssize_t count = fi_cq_read(completions, &ended, 1);
    if (count == 1) {
        if (ended.op_context == &receiving)
            received = 1;
        else
            sent = 1;
    } else if (count != -FI_EAGAIN) {
        must(count, "fi_cq_read");
    }
}

static void start_receive(char *in) {
    ssize_t status;
    received = 0;
    while ((status = fi_recv(endpoint, in, largest, NULL, FI_ADDR_UNSPEC, &receiving)) == -FI_EAGAIN)
        poll_once();
    must(status, "fi_recv");
}

static void send_all(const char *out, size_t size) {
    ssize_t status;
    while (!sent)
        poll_once();
    if (size <= chosen->tx_attr->inject_size) {
        while ((status = fi_inject(endpoint, out, size, peer)) == -FI_EAGAIN)
            poll_once();
    } else {
        sent = 0;
        while ((status = fi_send(endpoint, out, size, NULL, peer, &sending)) == -FI_EAGAIN)
            poll_once();
    }
    must(status, "fi_send");
}

static double batch(int first, char *out, char *in, size_t size, int count) {
    const double start = now();
    for (int i = 0; i < count; ++i) {
        if (first)
            send_all(out, size);
        while (!received)
            poll_once();
        start_receive(in);
        if (!first)
            send_all(out, size);
    }
    return (now() - start) / count / 2;
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    static const int sizes[] = {8, 64, 512, 4096, 16384, 65536, 262144, 1048576};
    if (argc != 3) {
        fprintf(stderr, "usage: libfabric PROVIDER ADDRESS|-\n");
        return 2;
    }
    const int first = strcmp(argv[2], "-") != 0, connection = meet(argv[2]);
    char *out = calloc(1, largest), *in = calloc(1, largest);
    open_endpoint(argv[1], connection);
    exchange_addresses(connection);
    start_receive(in);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const int count = sizes[s] <= 4096 ? 1000 : sizes[s] <= 65536 ? 200 : 20;
        double times[most_batches];
        batch(first, out, in, (size_t)sizes[s], count);
        for (int i = 0; i < most_batches; ++i)
            times[i] = batch(first, out, in, (size_t)sizes[s], count);
        qsort(times, most_batches, sizeof *times, compare);
        if (first)
            printf("latency %d %.9g\n", sizes[s], times[most_batches / 2]);
    }
    while (!sent)
        poll_once();
    /* The last word may still be on its way: who listens stays until the other has closed the connection. */
    char word;
    if (first)
        shutdown(connection, SHUT_WR);
    while (recv(connection, &word, 1, MSG_DONTWAIT) != 0)
        poll_once();
    return 0;
}
