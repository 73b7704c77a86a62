// SPDX-License-Identifier: Apache-2.0
// Probes, and receives of messages that a probe has matched [MPI-5.0 3.8].
#include <chrono>
#include <memory>
#include <span>
#include <utility>

#include "api/explored.hpp"
#include "api/extension.hpp"
#include "api/point_to_point.hpp"
#include "api/request.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/pieces.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/receive_allocate.hpp"
#include "protocol/wait.hpp"

namespace lisle::api {

using protocol::outcome;

namespace {

bool look(communicator &comm, int source, int tag, bool take, outcome &found,
          protocol::unexpected_message *&message) {
    const bool over = protocol::look_for_message(comm.point_to_point, source, tag, take, found, message);
    protocol::throw_if_lost(found, comm.point_to_point, source);
    if (over) {
        protocol::hear_message(comm.point_to_point.context, found, known_rank().number());
    }
    return over;
}

/// Looks, makes progress if there is nothing yet, and looks again.
bool look_twice(communicator &comm, int source, int tag, bool take, outcome &found,
                protocol::unexpected_message *&message) {
    if (look(comm, source, tag, take, found, message)) {
        return true;
    }
    auto &mine = *comm.point_to_point.home;
    mine.progress();
    if (look(comm, source, tag, take, found, message)) {
        return true;
    }
    mine.found_nothing();
    return false;
}

/// Finds what the record says, if it comes soon: it may depend on what the rank does next.
[[gnu::noinline]] bool look_as_recorded(communicator &comm, int source, int tag, bool take, outcome &found,
                                        protocol::unexpected_message *&message) {
    constexpr std::chrono::seconds soon{1};
    auto &record = *exploration::recorded_matches::of_process();
    const std::uint64_t context = comm.point_to_point.context;
    bool known = false;
    const auto wanted = record.source_for_look(context, source, known);
    bool is_there = false;
    if (wanted) {
        const auto until = std::chrono::steady_clock::now() + soon;
        do {
            is_there = look_twice(comm, *wanted, tag, take, found, message);
        } while (!is_there && known && std::chrono::steady_clock::now() < until);
    }
    record.looked(context, is_there ? found.source : choice::nothing);
    return is_there;
}

/// What a look finds where that is chosen, or recorded.
[[gnu::noinline]] bool find_chosen(communicator &comm, int source, int tag, bool take, outcome &found,
                                   protocol::unexpected_message *&message) {
    if (is_recorded()) {
        return look_as_recorded(comm, source, tag, take, found, message);
    }
    source = explored_source(comm, source, tag, false);
    return source != choice::nothing && look(comm, source, tag, take, found, message);
}

bool find_message_now(communicator &comm, int source, int tag, bool take, outcome &found,
                      protocol::unexpected_message *&message) {
    if (exploration::chosen && source != MPI_PROC_NULL) [[unlikely]] {
        return find_chosen(comm, source, tag, take, found, message);
    }
    return look_twice(comm, source, tag, take, found, message);
}

void wait_for_message(communicator &comm, int source, int tag, bool take, outcome &found,
                      protocol::unexpected_message *&message) {
    const protocol::awaited_probe wanted{{comm.point_to_point.context, source, tag}};
    protocol::wait_until(
        *comm.point_to_point.home,
        [&] { return protocol::look_for_message(comm.point_to_point, source, tag, take, found, message); },
        &wanted);
    protocol::throw_if_lost(found, comm.point_to_point, source);
    protocol::hear_message(comm.point_to_point.context, found, known_rank().number());
}

/// Waits for the message that is chosen, or recorded.
[[gnu::noinline]] void await_chosen(communicator &comm, int source, int tag, bool take, outcome &found,
                                    protocol::unexpected_message *&message) {
    auto *const record = exploration::recorded_matches::of_process();
    if (record == nullptr) {
        source = explored_source(comm, source, tag, true);
        wait_for_message(comm, source, tag, take, found, message);
        return;
    }
    const std::uint64_t context = comm.point_to_point.context;
    const unsigned number = record->number_probe();
    wait_for_message(comm, record->source_for_probe(context, source, number), tag, take, found, message);
    if (source == MPI_ANY_SOURCE) {
        record->probe_found(context, found.source, number);
    }
}

void await_message(communicator &comm, int source, int tag, bool take, outcome &found,
                   protocol::unexpected_message *&message) {
    if (exploration::chosen && source != MPI_PROC_NULL) [[unlikely]] {
        await_chosen(comm, source, tag, take, found, message);
    } else {
        wait_for_message(comm, source, tag, take, found, message);
    }
}

MPI_Message message_handle(protocol::unexpected_message *message) {
    return message != nullptr ? handle_of<MPI_Message>(*message) : MPI_MESSAGE_NO_PROC;
}

/// Takes the message out of the user's handle. Null: of MPI_PROC_NULL.
protocol::unexpected_message *take_message(MPI_Message *handle) {
    const MPI_Message given = std::exchange(*handle, MPI_MESSAGE_NULL);
    if (given == MPI_MESSAGE_NO_PROC) {
        return nullptr;
    }
    auto *const message = object_of<protocol::unexpected_message>(given);
    if (message == nullptr) {
        *handle = given;
        fail(MPI_ERR_REQUEST, "the message handle is null or not one that a matched probe has returned");
    }
    return message;
}

/// The engine that a message was matched by.
protocol::engine &home_of(const protocol::unexpected_message *message) {
    return message != nullptr ? message->home : this_rank().engine();
}

/// What a receive of a message that was matched before is looking for: that message.
protocol::envelope pattern_of(const protocol::unexpected_message *message) {
    return message != nullptr ? message->what : protocol::envelope{};
}

void start_matched(protocol::receive_operation &receive, protocol::unexpected_message *message) {
    protocol::tell_receive(receive.pattern.context, known_rank().number());
    if (message == nullptr) {
        receive.pattern.source = MPI_PROC_NULL;
        receive.start();
    } else {
        receive.home->transfers().accept(*message, receive);
    }
}

} // namespace

void probe(int source, int tag, communicator &comm, MPI_Status *status) {
    outcome found;
    protocol::unexpected_message *message = nullptr;
    await_message(comm, source, tag, false, found, message);
    found.store(status);
}

void iprobe(int source, int tag, communicator &comm, int *flag, MPI_Status *status) {
    outcome found;
    protocol::unexpected_message *message = nullptr;
    *flag = find_message_now(comm, source, tag, false, found, message) ? 1 : 0;
    if (*flag != 0) {
        found.store(status);
    }
}

void mprobe(int source, int tag, communicator &comm, MPI_Message *message, MPI_Status *status) {
    outcome found;
    protocol::unexpected_message *taken = nullptr;
    await_message(comm, source, tag, true, found, taken);
    *message = message_handle(taken);
    found.store(status);
}

void improbe(int source, int tag, communicator &comm, int *flag, MPI_Message *message, MPI_Status *status) {
    outcome found;
    protocol::unexpected_message *taken = nullptr;
    *flag = find_message_now(comm, source, tag, true, found, taken) ? 1 : 0;
    *message = MPI_MESSAGE_NULL;
    if (*flag != 0) {
        *message = message_handle(taken);
        found.store(status);
    }
}

void mrecv(void *buf, MPI_Count count, const datatype &type, MPI_Message *message, MPI_Status *status) {
    protocol::unexpected_message *const taken = take_message(message);
    protocol::receive_operation receive{home_of(taken), {buf, count, type}, pattern_of(taken)};
    start_matched(receive, taken);
    protocol::wait(receive);
    receive.hear();
    receive.result.store(status);
    abi::throw_if_failed(receive.result, nullptr);
}

void imrecv(void *buf, MPI_Count count, const datatype &type, MPI_Message *message, MPI_Request *request) {
    protocol::unexpected_message *const taken = take_message(message);
    auto receive = std::make_unique<protocol::receive_operation>(
        home_of(taken), typed_buffer{buf, count, type}, pattern_of(taken));
    receive->keep(type);
    start_matched(*receive, taken);
    *request = abi::give_request(receive.release(), nullptr);
}

void mrecv_inspect(MPIX_Inspect_function *inspect, MPIX_Allocate_function *allocate, void *extra_state,
                   MPI_Message *message, MPI_Status *status) {
    const outcome ended = protocol::receive_allocate({allocate, extra_state, inspect},
                                                     *find_datatype(MPI_BYTE), take_message(message));
    ended.store(status);
    abi::throw_if_failed(ended, nullptr);
}

void mrecv_piece(MPI_Message *message, void *data, MPI_Count *bytes) {
    const MPI_Message handle = *message;
    protocol::unexpected_message *const taken = take_message(message);
    const protocol::envelope what = pattern_of(taken);
    const auto piece = taken != nullptr ? protocol::receive_piece(*taken) : std::span<const std::byte>{};
    protocol::hear_message(what.context, {.source = what.source, .tag = what.tag}, known_rank().number());
    if (!piece.empty()) {
        *message = handle; // there may be more
    }
    *static_cast<const void **>(data) = piece.data();
    *bytes = static_cast<MPI_Count>(piece.size());
}

} // namespace lisle::api
