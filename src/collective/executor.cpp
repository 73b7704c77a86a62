// SPDX-License-Identifier: Apache-2.0
#include "collective/executor.hpp"

#include "datatype/copy.hpp"
#include "protocol/point_to_point.hpp"
#include "runtime/error.hpp"

namespace lisle::collective {

namespace {

/// Makes one function of several, for std::visit.
template <class... Functions> struct overloaded : Functions... { using Functions::operator()...; };

} // namespace

executor::executor(schedule plan, int tag)
    : plan_{std::move(plan)}, tag_{tag}, requests_(plan_.steps().size(), nullptr) {}

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
}

bool executor::advance() {
    const auto take = overloaded{
        [this](const send_step &send) {
            requests_[next_] = protocol::start_send(send.buffer, *send.channel, send.peer, tag_);
            return true;
        },
        [this](const receive_step &receive) {
            requests_[next_] = protocol::start_receive(receive.buffer, *receive.channel, receive.peer, tag_);
            return true;
        },
        [](const copy_step &copied) {
            lisle::copy(copied.from, copied.to, 0, copied.from.bytes());
            return true;
        },
        [](const reduce_step &reduced) {
            reduced.operation->apply(reduced.in.address, reduced.inout.address, reduced.inout.count,
                                     *reduced.inout.type);
            return true;
        },
        [this](const await_step &await) { return settle(await.awaited); },
        [this](const await_all_step &) { return settle_all(); },
    };
    const auto steps = plan_.steps();
    while (next_ < steps.size()) {
        if (!std::visit(take, steps[next_])) {
            return false;
        }
        ++next_;
    }
    return settle_all();
}

void executor::run() {
    while (!advance()) {
        protocol::wait(*requests_[waiting_for_]);
    }
}

std::string executor::describe() const {
    const step &failed = plan_.steps()[failed_];
    if (const auto *const receive = std::get_if<receive_step>(&failed)) {
        return error_ == MPI_ERR_TRUNCATE
                   ? sentence("rank ", receive->peer, " sent more than the ", receive->buffer.bytes(),
                              " bytes that this rank expects from it: counts or types differ among the ranks")
                   : sentence("receiving from rank ", receive->peer, " failed with error class ", error_);
    }
    return sentence("sending to rank ", std::get<send_step>(failed).peer, " failed with error class ",
                    error_);
}

int executor::failed_peer() const {
    const step &failed = plan_.steps()[failed_];
    const auto *const receive = std::get_if<receive_step>(&failed);
    return receive != nullptr ? receive->peer : std::get<send_step>(failed).peer;
}

bool executor::settle(step_index index) {
    auto *&request = requests_[index];
    if (request == nullptr) {
        return true;
    }
    // Pairs with the release store of whoever completes the request.
    if (!request->complete.load(std::memory_order_acquire)) {
        waiting_for_ = index;
        return false;
    }
    if (error_ == MPI_SUCCESS && request->result.error != MPI_SUCCESS) {
        error_ = request->result.error;
        failed_ = index;
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
