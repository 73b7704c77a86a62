// SPDX-License-Identifier: Apache-2.0
// Within an address space the message is a deed that names the buffer; between processes it is the data, and
// each side keeps its own memory. A message space of their own keeps these messages apart from the user's.
// Invariant: at any moment exactly one side has to call the release function.
#include "api/owned.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/wait.hpp"
#include "world/job.hpp"

namespace lisle::api {

namespace {

/// What changes hands.
struct deed {
    void *buffer;
    MPI_Count bytes;
    MPIX_Free_function *release;
    void *extra_state;
};

typed_buffer bytes_at(const void *address, MPI_Count bytes) {
    return {const_cast<void *>(address), bytes, *find_datatype(MPI_BYTE)};
}

bool shares_memory(const protocol::channel &channel, int rank) {
    const lisle::rank &self = this_rank();
    return self.engine().routes().share_addresses(self.number(), channel.peers->member(rank));
}

void free_copy(void *buffer, MPI_Count, void *) {
    std::free(buffer);
}

void keep_nothing(void *, MPI_Count, void *) {}

/// Receives a message that was taken out of the tables.
void receive_taken(protocol::unexpected_message &taken, const typed_buffer &into) {
    protocol::receive_operation receive{taken.home, into, {}};
    receive.complete.store(false, std::memory_order_relaxed);
    taken.home.transfers().accept(taken, receive);
    protocol::wait(receive);
}

/// What the message hands over, whose outcome a probe has found.
deed take_over(protocol::unexpected_message &taken, const protocol::channel &channel,
               const protocol::outcome &found) {
    deed mine{};
    if (shares_memory(channel, found.source)) {
        receive_taken(taken, bytes_at(&mine, sizeof mine));
        return mine;
    }
    mine = {.buffer = std::malloc(static_cast<std::size_t>(std::max<MPI_Count>(found.bytes, 1))),
            .bytes = found.bytes,
            .release = &free_copy,
            .extra_state = nullptr};
    if (mine.buffer == nullptr) {
        receive_taken(taken, bytes_at(nullptr, 0)); // the sender is not to wait for ever
        fail(MPI_ERR_NO_MEM, "there is no memory for the ", found.bytes, " bytes that rank ", found.source,
             " gives away");
    }
    receive_taken(taken, bytes_at(mine.buffer, mine.bytes));
    return mine;
}

/// Takes the oldest such message, if there is one, into the outputs of a call.
class taker {
  public:
    taker(communicator &comm, int source, int tag)
        : channel_{comm.channel(message_space::ownership)}, source_{source}, tag_{tag} {}

    [[nodiscard]] protocol::engine &home() const noexcept { return *channel_.home; }
    [[nodiscard]] bool find() {
        return protocol::look_for_message(channel_, source_, tag_, true, found_, taken_);
    }

    /// Throws if it can never come. @pre found
    void store(void *buffer, MPI_Count *bytes, MPIX_Free_function **release, void *extra_state,
               MPI_Status *status) {
        protocol::throw_if_lost(found_, channel_, source_);
        protocol::hear_message(channel_.context, found_, known_rank().number());
        deed mine{.buffer = nullptr, .bytes = 0, .release = &keep_nothing, .extra_state = nullptr};
        if (taken_ != nullptr) {
            mine = take_over(*taken_, channel_, found_);
        }
        // Both are the addresses of pointers, declared as void * so that pointers of any type will do.
        std::memcpy(buffer, &mine.buffer, sizeof mine.buffer);
        std::memcpy(extra_state, &mine.extra_state, sizeof mine.extra_state);
        *bytes = found_.bytes = mine.bytes;
        *release = mine.release;
        found_.store(status);
    }

  private:
    protocol::channel channel_;
    int source_;
    int tag_;
    protocol::outcome found_;
    protocol::unexpected_message *taken_ = nullptr;
};

} // namespace

void send_owned(void *buffer, MPI_Count bytes, MPIX_Free_function *release, void *extra_state, int dest,
                int tag, communicator &comm) {
    const protocol::channel channel = comm.channel(message_space::ownership);
    if (dest == MPI_PROC_NULL) {
        release(buffer, bytes, extra_state);
    } else if (shares_memory(channel, dest)) {
        const deed given{buffer, bytes, release, extra_state};
        protocol::send(bytes_at(&given, sizeof given), channel, dest, tag);
    } else {
        protocol::send(bytes_at(buffer, bytes), channel, dest, tag);
        release(buffer, bytes, extra_state);
    }
}

void recv_owned(void *buffer, MPI_Count *bytes, MPIX_Free_function **release, void *extra_state, int source,
                int tag, communicator &comm, MPI_Status *status) {
    taker taking{comm, source, tag};
    const protocol::awaited_ranks what;
    protocol::wait_until(
        taking.home(), [&taking] { return taking.find(); }, &what);
    taking.store(buffer, bytes, release, extra_state, status);
}

void tryrecv_owned(void *buffer, MPI_Count *bytes, MPIX_Free_function **release, void *extra_state,
                   int source, int tag, communicator &comm, int *flag, MPI_Status *status) {
    taker taking{comm, source, tag};
    auto &mine = taking.home();
    *flag = 0;
    if (!taking.find()) {
        mine.progress();
        if (!taking.find()) {
            mine.found_nothing();
            return;
        }
    }
    taking.store(buffer, bytes, release, extra_state, status);
    *flag = 1;
}

} // namespace lisle::api
