// SPDX-License-Identifier: Apache-2.0
// Point-to-point communication [MPI-5.0 chapter 3] behind the C entry points, which have checked the
// arguments. Buffers, counts and types describe the user's data; ranks are those of `comm`. Most short
// messages never come here: at_once.hpp.
#pragma once

#include "api/request.hpp"
#include "communicator/communicator.hpp"
#include "datatype/datatype.hpp"
#include "mpi.h"
#include "protocol/short_path.hpp"

namespace lisle::api {

void send(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm);
void ssend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm);
void rsend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm);
void bsend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm);
void recv(void *buf, MPI_Count count, const datatype &type, int source, int tag, communicator &comm,
          MPI_Status *status);

void isend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
           MPI_Request *request);
void issend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
            MPI_Request *request);
void irsend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
            MPI_Request *request);
void ibsend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
            MPI_Request *request);
inline void irecv(void *buf, MPI_Count count, const datatype &type, int source, int tag, communicator &comm,
                  MPI_Request *request);

void send_init(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
               MPI_Request *request);
void ssend_init(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
                MPI_Request *request);
void rsend_init(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
                MPI_Request *request);
void bsend_init(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
                MPI_Request *request);
void recv_init(void *buf, MPI_Count count, const datatype &type, int source, int tag, communicator &comm,
               MPI_Request *request);

void sendrecv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, int dest, int sendtag,
              void *recvbuf, MPI_Count recvcount, const datatype &recvtype, int source, int recvtag,
              communicator &comm, MPI_Status *status);
void isendrecv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, int dest, int sendtag,
               void *recvbuf, MPI_Count recvcount, const datatype &recvtype, int source, int recvtag,
               communicator &comm, MPI_Request *request);
void sendrecv_replace(void *buf, MPI_Count count, const datatype &type, int dest, int sendtag, int source,
                      int recvtag, communicator &comm, MPI_Status *status);
void isendrecv_replace(void *buf, MPI_Count count, const datatype &type, int dest, int sendtag, int source,
                       int recvtag, communicator &comm, MPI_Request *request);

void probe(int source, int tag, communicator &comm, MPI_Status *status);
void iprobe(int source, int tag, communicator &comm, int *flag, MPI_Status *status);
void mprobe(int source, int tag, communicator &comm, MPI_Message *message, MPI_Status *status);
void improbe(int source, int tag, communicator &comm, int *flag, MPI_Message *message, MPI_Status *status);
void mrecv(void *buf, MPI_Count count, const datatype &type, MPI_Message *message, MPI_Status *status);
void imrecv(void *buf, MPI_Count count, const datatype &type, MPI_Message *message, MPI_Request *request);

// As common as the calls in fast_path.hpp; but there is a request to make, whatever the message.

[[gnu::always_inline]] inline void irecv(void *buf, MPI_Count count, const datatype &type, int source,
                                         int tag, communicator &comm, MPI_Request *request) {
    *request = abi::give_request(
        protocol::start_receive_quickly({buf, count, type}, comm.point_to_point, source, tag), &comm);
}

} // namespace lisle::api
