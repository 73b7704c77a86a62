/* SPDX-License-Identifier: Apache-2.0
 * No MPI: a bare ping-pong over reliable datagrams of libfabric, both sides polling without a pause: what the
 * provider takes. Arguments: the provider, and the address of the process that listens ("-": listen). Only
 * the other prints results. A third one makes messages of 64 KiB and more go as an MPI library may have to
 * send them, which knows neither the receiver's buffer nor whether there is one yet:
 *     read    announced by a short message; the receiver reads them and says when it has done
 *     copies  in pieces of 64 KiB, which are copied to buffers of the sender and out of the receiver's */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { port = 29432, largest = 1048576, most_batches = 21, most_address = 128 };
enum { piece = 65536, pieces_ahead = 8, least_long = 65536 };

static struct fi_info *chosen;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_cq *completions;
static struct fid_av *addresses;
static struct fid_ep *endpoint;
static fi_addr_t peer;
static struct fi_context2 receiving, sending, reading, arriving[pieces_ahead], leaving[pieces_ahead];
static struct fid_mr *readable;
/* Where the peer's message lies, for it to be read. */
static struct place { uint64_t address, key; } theirs;

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
    hints->caps = FI_MSG | FI_RMA;
    hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
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

static void exchange_addresses(int connection, char *out) {
    char own[most_address] = {0}, other[most_address];
    size_t bytes = sizeof own;
    struct place mine;
    must(fi_mr_reg(domain, out, largest, FI_REMOTE_READ, 0, 1, 0, &readable, NULL), "fi_mr_reg");
    mine.key = fi_mr_key(readable);
    mine.address = (chosen->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0 ? (uint64_t)out : 0;
    if (send(connection, &mine, sizeof mine, 0) != sizeof mine ||
        recv(connection, &theirs, sizeof theirs, MSG_WAITALL) != sizeof theirs)
        must(-1, "exchange");
    must(fi_getname(&endpoint->fid, own, &bytes), "fi_getname");
    if (send(connection, own, sizeof own, 0) != sizeof own ||
        recv(connection, other, sizeof other, MSG_WAITALL) != sizeof other)
        must(-1, "exchange");
    must(fi_av_insert(addresses, other, 1, &peer, 0, NULL) == 1 ? 0 : -1, "fi_av_insert");
}

static int sent = 1, received, was_read;
static unsigned pieces_sent, pieces_gone, pieces_come, pieces_taken;
static char *out_pieces, *in_pieces;

static void poll_once(void) {
    struct fi_cq_entry ended;
    const ssize_t count = fi_cq_read(completions, &ended, 1);
    if (count == 1) {
        const struct fi_context2 *of = ended.op_context;
        if (of == &receiving)
            received = 1;
        else if (of == &sending)
            sent = 1;
        else if (of == &reading)
            was_read = 1;
        else if (of >= arriving && of < arriving + pieces_ahead)
            ++pieces_come;
        else
            ++pieces_gone;
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

static void receive_all(char *in) {
    while (!received)
        poll_once();
    start_receive(in);
}

static void read_all(char *in, size_t size) {
    ssize_t status;
    was_read = 0;
    while ((status = fi_read(endpoint, in, size, NULL, peer, theirs.address, theirs.key, &reading)) ==
           -FI_EAGAIN)
        poll_once();
    must(status, "fi_read");
    while (!was_read)
        poll_once();
}

static void start_piece(unsigned which) {
    ssize_t status;
    while ((status = fi_recv(endpoint, in_pieces + (size_t)which * piece, piece, NULL, FI_ADDR_UNSPEC,
                             &arriving[which])) == -FI_EAGAIN)
        poll_once();
    must(status, "fi_recv");
}

static size_t shorter(size_t one, size_t other) {
    return one < other ? one : other;
}

static void send_pieces(const char *out, size_t size) {
    for (size_t at = 0; at < size; at += piece, ++pieces_sent) {
        const unsigned which = pieces_sent % pieces_ahead;
        const size_t bytes = shorter(size - at, piece);
        ssize_t status;
        while (pieces_sent - pieces_gone == pieces_ahead)
            poll_once();
        memcpy(out_pieces + (size_t)which * piece, out + at, bytes);
        while ((status = fi_send(endpoint, out_pieces + (size_t)which * piece, bytes, NULL, peer,
                                 &leaving[which])) == -FI_EAGAIN)
            poll_once();
        must(status, "fi_send");
    }
}

static void receive_pieces(char *in, size_t size) {
    for (size_t at = 0; at < size; at += piece, ++pieces_taken) {
        const unsigned which = pieces_taken % pieces_ahead;
        while (pieces_taken == pieces_come)
            poll_once();
        memcpy(in + at, in_pieces + (size_t)which * piece, shorter(size - at, piece));
        start_piece(which);
    }
}

enum manner { whole, by_reading, in_copies };

static void send_message(enum manner how, char *out, char *in, size_t size) {
    if (how == in_copies) {
        send_pieces(out, size);
    } else if (how == by_reading && size >= least_long) {
        send_all(out, sizeof(struct place)); /* as long as one that says where the message lies */
        receive_all(in);
    } else {
        send_all(out, size);
    }
}

static void receive_message(enum manner how, char *out, char *in, size_t size) {
    if (how == in_copies) {
        receive_pieces(in, size);
    } else {
        receive_all(in);
        if (how == by_reading && size >= least_long) {
            read_all(in, size);
            send_all(out, sizeof(uint64_t));
        }
    }
}

static double batch(enum manner how, int first, char *out, char *in, size_t size, int count) {
    const double start = now();
    for (int i = 0; i < count; ++i) {
        if (first)
            send_message(how, out, in, size);
        receive_message(how, out, in, size);
        if (!first)
            send_message(how, out, in, size);
    }
    return (now() - start) / count / 2;
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    static const int sizes[] = {8, 64, 512, 4096, 16384, 65536, 262144, 1048576};
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: libfabric PROVIDER ADDRESS|- [read|copies]\n");
        return 2;
    }
    const enum manner how = argc == 3 ? whole : strcmp(argv[3], "read") == 0 ? by_reading : in_copies;
    const int first = strcmp(argv[2], "-") != 0, connection = meet(argv[2]);
    char *out = calloc(1, largest), *in = calloc(1, largest);
    open_endpoint(argv[1], connection);
    exchange_addresses(connection, out);
    out_pieces = calloc(pieces_ahead, piece);
    in_pieces = calloc(pieces_ahead, piece);
    if (how != in_copies)
        start_receive(in);
    for (unsigned which = 0; how == in_copies && which != pieces_ahead; ++which)
        start_piece(which);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const int count = sizes[s] <= 4096 ? 1000 : sizes[s] <= 65536 ? 200 : 20;
        double times[most_batches];
        batch(how, first, out, in, (size_t)sizes[s], count);
        for (int i = 0; i < most_batches; ++i)
            times[i] = batch(how, first, out, in, (size_t)sizes[s], count);
        qsort(times, most_batches, sizeof *times, compare);
        if (first)
            printf("latency %d %.9g\n", sizes[s], times[most_batches / 2]);
    }
    while (!sent || pieces_gone != pieces_sent)
        poll_once();
    /* The last word may still be on its way: who listens stays until the other has closed the connection. */
    char word;
    if (first)
        shutdown(connection, SHUT_WR);
    while (recv(connection, &word, 1, MSG_DONTWAIT) != 0)
        poll_once();
    return 0;
}
