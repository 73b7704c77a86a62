// SPDX-License-Identifier: Apache-2.0
#include "api/point_to_point.hpp"

#include <memory>
#include <vector>

#include "api/explored.hpp"
#include "api/extension.hpp"
#include "api/pending_buffers.hpp"
#include "api/request.hpp"
#include "api/send_buffer.hpp"
#include "communicator/session.hpp"
#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/pieces.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/send_buffer.hpp"
#include "rma/races/watch.hpp"

namespace lisle::api {

using protocol::outcome;
using protocol::send_mode;

namespace {

/// The buffer that buffered sends on `comm` use [MPI-5.0 3.6.1].
protocol::send_buffer &buffer_of(communicator &comm) {
    protocol::send_buffer *found = send_buffer_of(comm);
    if (found == nullptr && comm.session != 0) {
        const session *const origin = find_session(comm.session);
        found = origin != nullptr ? origin->send_buffer.get() : nullptr;
    }
    if (found == nullptr) {
        found = protocol::rank_send_buffer().get();
    }
    if (found == nullptr) {
        fail(MPI_ERR_BUFFER, "no buffer is attached for buffered sends: call MPI_Buffer_attach first");
    }
    if (abi::pending_buffers::watched()) [[unlikely]] {
        abi::pending->lent.uses(*found);
    }
    return *found;
}

/// What sends are done as that wait for their receives. Not to ranks of other jobs: a deadlock among jobs
/// nobody would report.
send_mode waiting_mode(const communicator &comm, int dest) {
    return this_rank().get_job().has(comm.point_to_point.peers->member(dest)) ? send_mode::synchronous
                                                                              : send_mode::standard;
}

/// What sends of the standard mode are done as: with LISLE_CHECK=2 as synchronous ones, which show what
/// relies on messages being buffered. A run whose choices are left open is told.
send_mode standard_mode(const communicator &comm, int dest, const typed_buffer &buffer) {
    return abi::pending_buffers::watched() && dest >= 0 && !is_recorded() &&
                   explored_buffer(buffer.bytes()) == nullptr
               ? waiting_mode(comm, dest)
               : send_mode::standard;
}

/// Names the operations under way whose memory a blocking call is going to use.
void look_at_use(watched_memory::use how, const typed_buffer &buffer) {
    if (abi::pending_buffers::watched()) [[unlikely]] {
        watched_list used{false};
        used.add(how, {buffer});
        abi::pending->look(used);
    }
}

/// A blocking send in the standard mode with LISLE_CHECK=2.
[[gnu::noinline]] void send_watched(const typed_buffer &buffer, int dest, int tag, communicator &comm) {
    if (dest != MPI_PROC_NULL) {
        look_at_use(watched_memory::use::reads, buffer);
        if (protocol::send_buffer *const buffers = explored_buffer(buffer.bytes())) {
            buffers->send(buffer, comm.point_to_point, dest, tag);
            return;
        }
    }
    const bool may_wait = dest >= 0 && !is_recorded();
    protocol::send_in_general(buffer, comm.point_to_point, dest, tag,
                              may_wait ? waiting_mode(comm, dest) : send_mode::standard);
}

/// Tells ThreadSanitizer what the calling thread has heard.
void hear(const communicator &comm, const outcome &found) {
    protocol::hear_message(comm.point_to_point.context, found, known_rank().number());
}

/// Gives the outcome of a blocking receive to its caller.
void end_receive(const outcome &ended, MPI_Status *status) {
    ended.store(status);
    abi::throw_if_failed(ended, nullptr);
}

/// The number of a receive, and the source that it is posted with.
struct numbered_receive {
    std::uint32_t posting = 0;
    int source;
};

numbered_receive number_receive(const communicator &comm, int source) {
    if (source == MPI_PROC_NULL) {
        return {.source = source};
    }
    const std::uint32_t posting = abi::pending->number_receive();
    return {posting, exploration::told_source(comm.point_to_point.context, source, posting)};
}

/// A blocking receive that compares its elements with the message's.
[[gnu::noinline]] void receive_checked(const typed_buffer &buffer, int source, int tag, communicator &comm,
                                       MPI_Status *status) {
    numbered_receive wanted{.source = source};
    protocol::tell_receive(comm.point_to_point.context, known_rank().number());
    if (source == MPI_PROC_NULL) {
        // There is nothing to compare.
    } else if (abi::pending_buffers::watched()) {
        look_at_use(watched_memory::use::writes, buffer);
        wanted = number_receive(comm, source);
    } else if (comm.point_to_point.home->try_receive_short_typed(
                   buffer, {comm.point_to_point.context, source, tag}, status)) {
        return;
    }
    const outcome ended =
        protocol::receive_in_general(buffer, comm.point_to_point, wanted.source, tag, wanted.posting);
    hear(comm, ended);
    if (wanted.posting != 0) {
        note_source(comm.point_to_point.context, wanted.source, ended.source, wanted.posting);
        abi::pending->report_wildcards();
    }
    end_receive(ended, status);
}

/// MPI_Sendrecv with LISLE_CHECK=2.
[[gnu::noinline]] void send_receive_watched(const typed_buffer &sent, int dest, int send_tag,
                                            const typed_buffer &received, int source, int receive_tag,
                                            communicator &comm, MPI_Status *status) {
    const auto if_any = [](typed_buffer all, int peer) {
        all.count = peer != MPI_PROC_NULL ? all.count : 0;
        return all;
    };
    watched_list used{false};
    used.add(watched_memory::use::reads, {if_any(sent, dest)});
    used.add(watched_memory::use::writes, {if_any(received, source)});
    abi::pending->look(used);
    const numbered_receive wanted = number_receive(comm, source);
    const outcome ended = protocol::send_receive_in_general(sent, dest, send_tag, received, wanted.source,
                                                            receive_tag, comm.point_to_point,
                                                            standard_mode(comm, dest, sent), wanted.posting);
    hear(comm, ended);
    if (wanted.posting != 0) {
        note_source(comm.point_to_point.context, wanted.source, ended.source, wanted.posting);
        abi::pending->report_wildcards();
    }
    end_receive(ended, status);
}

/// Starts both parts. @param used the memory, if it is watched
void start_send_receive(std::unique_ptr<protocol::send_receive_request> made, watched_list used,
                        communicator &comm, MPI_Request *request) {
    const bool watched = abi::pending_buffers::watched();
    if (watched) [[unlikely]] {
        protocol::receive_operation &receive = made->receiving();
        const numbered_receive wanted = number_receive(comm, receive.pattern.source);
        receive.posting = wanted.posting;
        receive.pattern.source = wanted.source;
    }
    made->start();
    if (watched) [[unlikely]] {
        abi::pending->add(*made, std::move(used));
    }
    *request = abi::give_request(made.release(), &comm);
}

void start_send(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
                send_mode mode, MPI_Request *request) {
    const typed_buffer buffer{buf, count, type};
    const bool watched = abi::pending_buffers::watched() && dest != MPI_PROC_NULL;
    watched_list used;
    if (watched) [[unlikely]] {
        used.reads(buffer);
        abi::pending->begin(used);
    }
    protocol::request *const made = protocol::start_send(buffer, comm.point_to_point, dest, tag, mode);
    if (watched) [[unlikely]] {
        abi::pending->add(*made, std::move(used));
    }
    *request = abi::give_request(made, &comm);
}

/// A persistent request that is not started yet.
template <class Operation> void give_persistent(std::unique_ptr<Operation> made, const datatype &type,
                                                communicator &comm, MPI_Request *request) {
    made->persistent = true;
    made->active = false;
    made->keep(type);
    *request = abi::give_request(made.release(), &comm);
}

void init_send(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
               send_mode mode, MPI_Request *request) {
    const typed_buffer buffer{buf, count, type};
    auto made = std::make_unique<protocol::send_operation>(buffer, comm.point_to_point, dest, tag, mode);
    made->active = false;
    if (abi::pending_buffers::watched() && dest != MPI_PROC_NULL) [[unlikely]] {
        watched_list used;
        used.reads(buffer);
        abi::pending->add(*made, std::move(used));
    }
    give_persistent(std::move(made), type, comm, request);
}

/// A persistent buffered send: each start copies the data away, so each is complete at once.
class persistent_buffered_send final : public protocol::operation {
  public:
    persistent_buffered_send(const typed_buffer &buffer, communicator &comm, int dest, int tag)
        : operation{*comm.point_to_point.home}, buffer_{buffer}, comm_{comm}, dest_{dest}, tag_{tag} {}
    void start() override {
        result = {};
        if (dest_ != MPI_PROC_NULL) { // which needs no buffer
            buffer_of(comm_).send(buffer_, comm_.point_to_point, dest_, tag_);
        }
        active = true;                                   // what has failed has not been started
        complete.store(true, std::memory_order_release); // as in engine::complete_locked
    }

  private:
    typed_buffer buffer_;
    communicator &comm_;
    int dest_;
    int tag_;
};

std::vector<std::byte> packed_copy(const typed_buffer &buffer) {
    std::vector<std::byte> copy(static_cast<std::size_t>(buffer.bytes()));
    pack(buffer, 0, copy);
    return copy;
}

/// What a packed_copy is sent as: if it lies like the original, as elements of the same type.
typed_buffer copied(const typed_buffer &original, const std::vector<std::byte> &copy) noexcept {
    return original.type->contiguous()
               ? typed_buffer{copy.data(), original.count, *original.type}
               : typed_buffer{copy.data(), static_cast<MPI_Count>(copy.size()), byte_type()};
}

} // namespace

void send(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm) {
    if (abi::pending_buffers::watched()) [[unlikely]] {
        send_watched({buf, count, type}, dest, tag, comm);
        return;
    }
    protocol::send_in_general({buf, count, type}, comm.point_to_point, dest, tag, send_mode::standard);
}

void recv(void *buf, MPI_Count count, const datatype &type, int source, int tag, communicator &comm,
          MPI_Status *status) {
    const typed_buffer buffer{buf, count, type};
    if (comm.point_to_point.home->core().observer != nullptr) [[unlikely]] {
        receive_checked(buffer, source, tag, comm, status);
        return;
    }
    end_receive(protocol::receive_in_general(buffer, comm.point_to_point, source, tag), status);
}

void ssend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm) {
    look_at_use(watched_memory::use::reads, {buf, count, type});
    protocol::send({buf, count, type}, comm.point_to_point, dest, tag, send_mode::synchronous);
    if (dest != MPI_PROC_NULL) {
        protocol::hear_receive(comm.point_to_point.context_at(dest), comm.point_to_point.peers->member(dest));
    }
}

void rsend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm) {
    look_at_use(watched_memory::use::reads, {buf, count, type});
    protocol::send({buf, count, type}, comm.point_to_point, dest, tag, send_mode::ready);
}

void bsend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm) {
    if (dest != MPI_PROC_NULL) {
        look_at_use(watched_memory::use::reads, {buf, count, type});
        buffer_of(comm).send({buf, count, type}, comm.point_to_point, dest, tag);
    }
}

void isend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
           MPI_Request *request) {
    const rma::call_among_ranks sends{rma::hearing::nothing};
    if (explored() != nullptr && dest >= 0) [[unlikely]] {
        const typed_buffer buffer{buf, count, type};
        if (protocol::send_buffer *const buffers = explored_buffer(buffer.bytes())) {
            buffers->send(buffer, comm.point_to_point, dest, tag);
            *request = abi::give_request(comm.point_to_point.home->completed_send(), nullptr);
        } else {
            start_send(buf, count, type, dest, tag, comm, waiting_mode(comm, dest), request);
        }
        return;
    }
    start_send(buf, count, type, dest, tag, comm, standard_mode(comm, dest, {buf, count, type}), request);
}

void issend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
            MPI_Request *request) {
    start_send(buf, count, type, dest, tag, comm, send_mode::synchronous, request);
}

void irsend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
            MPI_Request *request) {
    start_send(buf, count, type, dest, tag, comm, send_mode::ready, request);
}

void ibsend(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
            MPI_Request *request) {
    bsend(buf, count, type, dest, tag, comm);
    *request = abi::give_request(comm.point_to_point.home->completed_send(), nullptr);
}

void send_init(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
               MPI_Request *request) {
    init_send(buf, count, type, dest, tag, comm, standard_mode(comm, dest, {buf, count, type}), request);
}

void ssend_init(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
                MPI_Request *request) {
    init_send(buf, count, type, dest, tag, comm, send_mode::synchronous, request);
}

void rsend_init(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
                MPI_Request *request) {
    init_send(buf, count, type, dest, tag, comm, send_mode::ready, request);
}

void bsend_init(const void *buf, MPI_Count count, const datatype &type, int dest, int tag, communicator &comm,
                MPI_Request *request) {
    give_persistent(
        std::make_unique<persistent_buffered_send>(typed_buffer{buf, count, type}, comm, dest, tag), type,
        comm, request);
}

void recv_init(void *buf, MPI_Count count, const datatype &type, int source, int tag, communicator &comm,
               MPI_Request *request) {
    typed_buffer buffer{buf, count, type};
    watched_list used;
    const bool watched = abi::pending_buffers::watched() && source != MPI_PROC_NULL;
    if (watched) {
        buffer = used.writes(buffer);
    }
    auto made = std::make_unique<protocol::receive_operation>(comm.point_to_point, buffer, source, tag);
    made->active = false;
    if (watched) {
        abi::pending->add(*made, std::move(used));
    }
    give_persistent(std::move(made), type, comm, request);
}

void sendrecv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, int dest, int sendtag,
              void *recvbuf, MPI_Count recvcount, const datatype &recvtype, int source, int recvtag,
              communicator &comm, MPI_Status *status) {
    const typed_buffer sent{sendbuf, sendcount, sendtype};
    if (abi::pending_buffers::watched()) [[unlikely]] {
        send_receive_watched(sent, dest, sendtag, {recvbuf, recvcount, recvtype}, source, recvtag, comm,
                             status);
        return;
    }
    const outcome ended = protocol::send_receive(sent, dest, sendtag, {recvbuf, recvcount, recvtype}, source,
                                                 recvtag, comm.point_to_point, send_mode::standard);
    hear(comm, ended);
    end_receive(ended, status);
}

void isendrecv(const void *sendbuf, MPI_Count sendcount, const datatype &sendtype, int dest, int sendtag,
               void *recvbuf, MPI_Count recvcount, const datatype &recvtype, int source, int recvtag,
               communicator &comm, MPI_Request *request) {
    typed_buffer give{sendbuf, dest != MPI_PROC_NULL ? sendcount : 0, sendtype};
    typed_buffer take{recvbuf, source != MPI_PROC_NULL ? recvcount : 0, recvtype};
    watched_list used;
    if (abi::pending_buffers::watched()) [[unlikely]] {
        give = used.reads(give);
        take = used.writes(take);
        abi::pending->begin(used);
    }
    start_send_receive(std::make_unique<protocol::send_receive_request>(give, std::vector<std::byte>{}, dest,
                                                                        sendtag, take, source, recvtag,
                                                                        comm.point_to_point),
                       std::move(used), comm, request);
}

void sendrecv_replace(void *buf, MPI_Count count, const datatype &type, int dest, int sendtag, int source,
                      int recvtag, communicator &comm, MPI_Status *status) {
    const auto copy = packed_copy({buf, count, type});
    const typed_buffer sent = copied({buf, count, type}, copy);
    sendrecv(sent.address, sent.count, *sent.type, dest, sendtag, buf, count, type, source, recvtag, comm,
             status);
}

void isendrecv_replace(void *buf, MPI_Count count, const datatype &type, int dest, int sendtag, int source,
                       int recvtag, communicator &comm, MPI_Request *request) {
    auto copy = packed_copy({buf, count, type});
    const typed_buffer sent = copied({buf, count, type}, copy);
    typed_buffer take{buf, count, type};
    watched_list used;
    if (abi::pending_buffers::watched() && source != MPI_PROC_NULL) [[unlikely]] {
        take = used.writes(take);
        abi::pending->begin(used);
    }
    start_send_receive(std::make_unique<protocol::send_receive_request>(
                           sent, std::move(copy), dest, sendtag, take, source, recvtag, comm.point_to_point),
                       std::move(used), comm, request);
}

void isend_pieces(MPI_Count bytes, int dest, int tag, communicator &comm, MPI_Request *request) {
    *request =
        abi::give_request(protocol::start_send_in_pieces(bytes, comm.point_to_point, dest, tag), &comm);
}

void send_piece(const void *data, MPI_Count bytes, MPI_Request request) {
    auto *const given = object_of<protocol::request>(request);
    if (given == this_rank().engine().completed_send()) {
        return; // to MPI_PROC_NULL
    }
    auto *const send = dynamic_cast<protocol::send_operation *>(given);
    if (send == nullptr || !send->in_pieces) {
        fail(MPI_ERR_REQUEST, "the request was not made by MPIX_Isend_pieces");
    }
    if (bytes > send->buffer.bytes() - send->streamed) {
        fail(MPI_ERR_ARG, "a piece of ", bytes, " bytes is more than is left of the message, ",
             send->buffer.bytes() - send->streamed);
    }
    protocol::send_piece(*send, {static_cast<const std::byte *>(data), static_cast<std::size_t>(bytes)});
}

} // namespace lisle::api
