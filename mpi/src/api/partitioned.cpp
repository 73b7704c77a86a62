// SPDX-License-Identifier: Apache-2.0
#include "api/partitioned.hpp"

#include <memory>

#include "api/pending_buffers.hpp"
#include "api/request.hpp"
#include "base/error.hpp"
#include "execution/rank.hpp"
#include "protocol/partitioned.hpp"

namespace lisle::api {

namespace {

using protocol::partitioned_receive;
using protocol::partitioned_send;

void check_partitions(int partitions) {
    if (partitions < 1) {
        fail(MPI_ERR_ARG, "partitions is ", partitions, "; there must be at least one");
    }
}

/// The request as one end of a partitioned message. Throws if it is no such end.
template <class End> End &end_of(MPI_Request handle, const char *maker) {
    auto *const found = dynamic_cast<End *>(object_of<protocol::request>(handle));
    if (found == nullptr) {
        fail(MPI_ERR_REQUEST, "the request was not made by ", maker);
    }
    return *found;
}

partitioned_send &started_send(MPI_Request handle) {
    auto &found = end_of<partitioned_send>(handle, "MPI_Psend_init");
    if (!found.active) {
        fail(MPI_ERR_REQUEST, "the request has not been started, or is complete");
    }
    return found;
}

void check_partition(const protocol::partitioned_request &whole, int partition) {
    if (partition < 0 || partition >= whole.partitions()) {
        fail(MPI_ERR_ARG, "partition ", partition, " is outside the message, which has ", whole.partitions(),
             " partitions");
    }
}

/// From now on the program must not change the partition, until it knows that the request is complete.
void mark_ready(partitioned_send &send, int partition) {
    if (abi::pending_buffers::watched()) {
        abi::pending->begin_part(send, send.partition(partition));
    }
    send.mark_ready(partition);
}

} // namespace

void psend_init(const void *buf, int partitions, MPI_Count count, const datatype &type, int dest, int tag,
                communicator &comm, info *, MPI_Request *request) {
    check_partitions(partitions);
    auto made = std::make_unique<partitioned_send>(typed_buffer{buf, count, type}, partitions,
                                                   comm.channel(message_space::partitioned), dest, tag);
    if (abi::pending_buffers::watched() && dest != MPI_PROC_NULL) {
        abi::pending->add(*made, watched_list{});
    }
    *request = abi::give_request(made.release(), &comm);
}

void precv_init(void *buf, int partitions, MPI_Count count, const datatype &type, int dest, int tag,
                communicator &comm, info *, MPI_Request *request) {
    check_partitions(partitions);
    *request = abi::give_request(
        new partitioned_receive{
            {buf, count, type}, partitions, comm.channel(message_space::partitioned), dest, tag},
        &comm);
}

void pready(int partition, MPI_Request request) {
    partitioned_send &send = started_send(request);
    check_partition(send, partition);
    mark_ready(send, partition);
}

void pready_range(int partition_low, int partition_high, MPI_Request request) {
    partitioned_send &send = started_send(request);
    check_partition(send, partition_low);
    check_partition(send, partition_high);
    for (int partition = partition_low; partition <= partition_high; ++partition) {
        mark_ready(send, partition);
    }
}

void pready_list(int length, const int array_of_partitions[], MPI_Request request) {
    partitioned_send &send = started_send(request);
    if (array_of_partitions == nullptr && length > 0) {
        fail(MPI_ERR_ARG, "array_of_partitions is a null pointer");
    }
    for (int i = 0; i < length; ++i) {
        check_partition(send, array_of_partitions[i]);
    }
    for (int i = 0; i < length; ++i) {
        mark_ready(send, array_of_partitions[i]);
    }
}

void parrived(MPI_Request request, int partition, int *flag) {
    if (request == MPI_REQUEST_NULL) {
        *flag = 1; // as of one that is inactive [MPI-5.0 4.2.2]
        return;
    }
    auto &receive = end_of<partitioned_receive>(request, "MPI_Precv_init");
    check_partition(receive, partition);
    *flag = receive.arrived(partition) ? 1 : 0;
}

} // namespace lisle::api
