// SPDX-License-Identifier: Apache-2.0
#include "rma/messages/answers.hpp"

#include <cstring>
#include <memory>
#include <mutex>

#include "base/error_texts.hpp"
#include "datatype/copy.hpp"
#include "protocol/engine.hpp"
#include "protocol/message/refuse.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/wait.hpp"
#include "rma/messages/wire.hpp"

namespace lisle::rma {

awaited_answer *awaited_answers::expect(const typed_buffer &into, int target) {
    protocol::engine &home = members_.home();
    auto answer = std::make_unique<awaited_answer>(home, into, target);
    answer->keep(*into.type);
    {
        const std::scoped_lock guard{mutex_};
        answer->id = answers_.insert(*answer);
    }
    home.core().expect(*answer,
                       members_.number_of(target)); // a wait then polls the fabric that brings the answer
    return answer.release();
}

void awaited_answers::give_up(awaited_answer &answer, int error) {
    {
        const std::scoped_lock guard{mutex_};
        if (answers_.find(answer.id) != &answer) {
            return; // it is complete, or about to be
        }
        answers_.erase(answer.id);
    }
    answer.missing = 0;
    answer.result.error = error;
    members_.home().complete(answer);
}

MPI_Count awaited_answers::missing_of(const awaited_answer &answer) {
    const std::scoped_lock guard{mutex_};
    return answer.missing;
}

bool awaited_answers::settle(awaited_answer *answer) {
    protocol::wait(*answer);
    const int target = answer->target;
    const int error = answer->result.error;
    const int failed = answer->failed;
    answer->free();
    if (error == MPI_SUCCESS || error == not_free) {
        return error == MPI_SUCCESS;
    }
    if (failed >= 0) {
        fail(error, "the lock of target ", target, " was held by rank ", failed,
             " of the window, which has failed");
    }
    if (error == MPIX_ERR_PROC_FAILED) {
        fail(error, "target ", target, " has failed");
    }
    fail(error, "target ", target, ": ", error_text(error));
}

void awaited_answers::arrived_locked(protocol::engine &home, const protocol::arrival &packet) {
    if (packet.payload.size() < sizeof(reply_head)) {
        protocol::refuse(packet.peer, "is too short", packet.payload.size());
    }
    reply_head head;
    std::memcpy(&head, packet.payload.data(), sizeof head);
    const std::scoped_lock guard{mutex_};
    awaited_answer *const answer = answers_.find(head.id);
    if (answer == nullptr || members_.number_of(answer->target) != packet.peer) {
        protocol::refuse(packet.peer, "answers what nobody asked for", head.id);
    }
    if (static_cast<reply_kind>(packet.flags) == reply_kind::done) {
        if (head.offset > static_cast<std::uint64_t>(members_.size())) {
            protocol::refuse(packet.peer, "blames a rank that the window does not have", head.offset);
        }
        answer->missing = 0;
        answer->failed = static_cast<int>(head.offset) - 1;
        answer->result.error = head.error == 0 ? MPI_SUCCESS : static_cast<int>(head.error);
    } else {
        take_data(*answer, head.offset, packet);
    }
    if (answer->missing == 0) {
        answers_.erase(head.id);
        home.core().complete_locked(*answer);
    }
}

void awaited_answers::take_data(awaited_answer &answer, std::uint64_t offset,
                                const protocol::arrival &packet) {
    const auto data = packet.payload.subspan(sizeof(reply_head));
    const auto bytes = static_cast<MPI_Count>(data.size());
    const MPI_Count room = answer.into.bytes();
    if (bytes > answer.missing || offset > static_cast<std::uint64_t>(room) ||
        bytes > room - static_cast<MPI_Count>(offset)) {
        protocol::refuse(packet.peer, "brings data that nobody asked for", data.size());
    }
    unpack(answer.into, static_cast<MPI_Count>(offset), data);
    answer.missing -= bytes;
    answer.result.bytes += bytes;
}

void awaited_answers::fail_locked(protocol::engine &home, int target) {
    const std::scoped_lock guard{mutex_};
    answers_.each([&](std::uint64_t id, awaited_answer &answer) {
        if (answer.target == target) {
            answers_.erase(id);
            answer.missing = 0;
            answer.result.error = MPIX_ERR_PROC_FAILED;
            home.core().complete_locked(answer);
        }
    });
}

} // namespace lisle::rma
