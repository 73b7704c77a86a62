// SPDX-License-Identifier: Apache-2.0
#include "api/send_buffer.hpp"

#include "api/pending_buffers.hpp"
#include "api/request.hpp"
#include "base/error.hpp"
#include "communicator/communicator_local.hpp"
#include "protocol/engine.hpp"
#include "protocol/send_buffer.hpp"

namespace lisle::api {

namespace {

/// MPI_BUFFER_AUTOMATIC stands for memory that the library allots for each message.
bool automatic(const void *buffer) {
    return buffer == MPI_BUFFER_AUTOMATIC;
}

const communicator_local<std::unique_ptr<protocol::send_buffer>> send_buffers;

template <class Holder> void attach(Holder &place, void *buffer, MPI_Count size) {
    if (place != nullptr) {
        fail(MPI_ERR_BUFFER, "a buffer of ", place->bytes(), " bytes is attached already: detach it first");
    }
    place = Holder{automatic(buffer) ? new protocol::send_buffer : new protocol::send_buffer{buffer, size}};
    if (abi::pending_buffers::watched()) {
        abi::pending->lent.attached(*place);
    }
}

/// Where no buffer is attached, MPI behaves as if one of no bytes were [MPI-5.0 3.6]: that is detached.
template <class Holder> void detach(Holder &place, void *buffer_addr, MPI_Count &size) {
    if (place == nullptr) {
        *static_cast<void **>(buffer_addr) = nullptr;
        size = 0;
        return;
    }
    if (abi::pending_buffers::watched()) {
        abi::pending->lent.detached(*place);
    }
    place->flush();
    *static_cast<void **>(buffer_addr) = place->base();
    size = place->bytes();
    place = nullptr;
}

template <class Holder> void start_flush(Holder &place, communicator *comm, MPI_Request *request) {
    if (place == nullptr || place->empty()) {
        *request = abi::give_request(this_rank().engine().completed_send(), nullptr);
        return;
    }
    auto *const made = new protocol::flush_request{this_rank(), *place};
    made->watch();
    *request = abi::give_request(made, comm);
}

} // namespace

protocol::send_buffer *send_buffer_of(const communicator &comm) noexcept {
    const auto *const attached = send_buffers.found(comm);
    return attached != nullptr ? attached->get() : nullptr;
}

void buffer_attach(void *buffer, MPI_Count size) {
    attach(protocol::rank_send_buffer(), buffer, size);
}

void buffer_detach(void *buffer_addr, MPI_Count &size) {
    detach(protocol::rank_send_buffer(), buffer_addr, size);
}

void buffer_flush() {
    if (protocol::rank_send_buffer() != nullptr) {
        protocol::rank_send_buffer()->flush();
    }
}

void buffer_iflush(MPI_Request *request) {
    start_flush(protocol::rank_send_buffer(), nullptr, request);
}

void comm_attach_buffer(communicator &comm, void *buffer, MPI_Count size) {
    attach(*send_buffers.of(comm), buffer, size);
}

void comm_detach_buffer(communicator &comm, void *buffer_addr, MPI_Count &size) {
    detach(*send_buffers.of(comm), buffer_addr, size);
}

void comm_flush_buffer(communicator &comm) {
    if (protocol::send_buffer *const attached = send_buffer_of(comm)) {
        attached->flush();
    }
}

void comm_iflush_buffer(communicator &comm, MPI_Request *request) {
    start_flush(*send_buffers.of(comm), &comm, request);
}

void session_attach_buffer(session &session, void *buffer, MPI_Count size) {
    attach(session.send_buffer, buffer, size);
}

void session_detach_buffer(session &session, void *buffer_addr, MPI_Count &size) {
    detach(session.send_buffer, buffer_addr, size);
}

void session_flush_buffer(session &session) {
    if (session.send_buffer != nullptr) {
        session.send_buffer->flush();
    }
}

void session_iflush_buffer(session &session, MPI_Request *request) {
    start_flush(session.send_buffer, nullptr, request);
}

} // namespace lisle::api
