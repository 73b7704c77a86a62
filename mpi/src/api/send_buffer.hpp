// SPDX-License-Identifier: Apache-2.0
// Attaching, detaching and flushing the buffers of buffered sends [MPI-5.0 3.6].
#pragma once

#include "communicator/communicator.hpp"
#include "communicator/session.hpp"
#include "mpi.h"

namespace lisle::protocol {
class send_buffer;
}

namespace lisle::api {

/// The buffer that the user has attached to a communicator, or null.
[[nodiscard]] protocol::send_buffer *send_buffer_of(const communicator &comm) noexcept;

void buffer_attach(void *buffer, MPI_Count size);
/// @param buffer_addr where to store the buffer's address
void buffer_detach(void *buffer_addr, MPI_Count &size);
void buffer_flush();
void buffer_iflush(MPI_Request *request);

void session_attach_buffer(session &session, void *buffer, MPI_Count size);
void session_detach_buffer(session &session, void *buffer_addr, MPI_Count &size);
void session_flush_buffer(session &session);
void session_iflush_buffer(session &session, MPI_Request *request);
void comm_attach_buffer(communicator &comm, void *buffer, MPI_Count size);
void comm_detach_buffer(communicator &comm, void *buffer_addr, MPI_Count &size);
void comm_flush_buffer(communicator &comm);
void comm_iflush_buffer(communicator &comm, MPI_Request *request);

} // namespace lisle::api
