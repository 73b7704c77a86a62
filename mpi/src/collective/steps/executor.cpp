// SPDX-License-Identifier: Apache-2.0
#include "collective/steps/executor.hpp"

#include "base/error.hpp"
#include "collective/call.hpp"
#include "execution/rank.hpp"
#include "protocol/checking/type_notes.hpp"
#include "protocol/engine.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/wait.hpp"

namespace lisle::collective {

executor::executor(schedule &&plan)
    : requests_(plan.steps().size(), nullptr), plan_{std::move(plan)}, local_{plan_.area(), plan_.phases()} {}

executor::~executor() {
    for (auto *const request : requests_) {
        if (request != nullptr) {
            protocol::wait(*request);
            request->free();
        }
    }
}

void executor::restart() noexcept {
    next_ = 0;
    settled_ = 0;
    error_ = MPI_SUCCESS;
    local_.forget_error();
}

bool executor::advance() {
    const auto steps = plan_.steps();
    waiting_for_ = none;
    while (next_ < steps.size()) {
        if (!std::visit([this](const auto &step) { return take(step); }, steps[next_])) {
            return false;
        }
        ++next_;
    }
    return settle_all();
}

void executor::run() {
    const auto advance_or_wait = [this] {
        if (advance()) {
            return true;
        }
        if (waiting_for_ != none) {
            protocol::wait(*requests_[waiting_for_]);
        } else {
            const protocol::awaited_members members{local_.context()};
            protocol::wait_until(
                local_.home(), [this] { return advance() || waiting_for_ != none; }, &members);
        }
        return false;
    };
    // The others count on the steps of this rank. One for which there is no memory has not been made.
    while (!protocol::once_there_is_memory(this_rank().engine(), advance_or_wait)) {
    }
}

bool executor::take(const send_step &send) {
    requests_[next_] = protocol::start_send(send.buffer, *send.channel, send.peer, tag_);
    return true;
}

bool executor::take(const receive_step &receive) {
    requests_[next_] = protocol::start_receive(receive.buffer, *receive.channel, receive.peer, tag_);
    return true;
}

bool executor::take(const await_step &await) {
    return settle(await.awaited);
}

bool executor::take(const await_all_step &) {
    return settle_all();
}

std::string executor::describe() const {
    if (error_ == MPI_SUCCESS) {
        return local_.describe();
    }
    const step &failed = plan_.steps()[failed_];
    if (const auto *const receive = std::get_if<receive_step>(&failed)) {
        if (error_ == MPI_ERR_TYPE) {
            const std::string both = protocol::rank_type_notes->take_finding(receive->peer, tag_);
            return sentence("rank ", receive->peer,
                            " sends elements of another type than this rank expects from it",
                            both.empty() ? "" : ": ", both);
        }
        if (error_ == MPI_ERR_COUNT) {
            return sentence("rank ", receive->peer, " sends ", received_, " bytes, where this rank expects ",
                            receive->buffer.bytes(), " from it");
        }
        return error_ == MPI_ERR_TRUNCATE
                   ? sentence("rank ", receive->peer, " sent more than the ", receive->buffer.bytes(),
                              " bytes that this rank expects from it: counts or types differ among the ranks")
                   : sentence("receiving from rank ", receive->peer, " failed with error class ", error_);
    }
    return sentence("sending to rank ", std::get<send_step>(failed).peer, " failed with error class ",
                    error_);
}

int executor::failed_peer() const {
    if (error_ == MPI_SUCCESS) {
        return local_.failed_peer();
    }
    const step &failed = plan_.steps()[failed_];
    const auto *const receive = std::get_if<receive_step>(&failed);
    return receive != nullptr ? receive->peer : std::get<send_step>(failed).peer;
}

int executor::error_of(step_index index, const protocol::outcome &result) const {
    if (!comparing() || result.error != MPI_SUCCESS) {
        return result.error;
    }
    const auto *const receive = std::get_if<receive_step>(&plan_.steps()[index]);
    return receive != nullptr && result.bytes < receive->buffer.bytes() ? MPI_ERR_COUNT : MPI_SUCCESS;
}

bool executor::settle(step_index index) {
    auto *&request = requests_[index];
    if (request == nullptr) {
        return true;
    }
    // Pairs with the release store of the thread that completes the request.
    if (!request->complete.load(std::memory_order_acquire)) {
        waiting_for_ = index;
        return false;
    }
    if (const int error = error_of(index, request->result); error_ == MPI_SUCCESS && error != MPI_SUCCESS) {
        error_ = error;
        failed_ = index;
        received_ = request->result.bytes;
    }
    request->free();
    request = nullptr;
    return true;
}

bool executor::settle_all() {
    while (settled_ < next_) {
        if (!settle(settled_)) {
            return false;
        }
        ++settled_;
    }
    return true;
}

} // namespace lisle::collective
