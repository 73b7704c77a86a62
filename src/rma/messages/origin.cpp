// SPDX-License-Identifier: Apache-2.0
#include "rma/messages/origin.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>

#include "base/error.hpp"
#include "base/error_texts.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/message/refuse.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/wait.hpp"
#include "rma/element_runs.hpp"
#include "rma/messages/packets.hpp"
#include "rma/window.hpp"

namespace lisle::rma {

namespace {

// A target keeps the requests whose answers find no room: it is not asked for more than this at once.
constexpr MPI_Count most_awaited_bytes = 262'144;
// An origin that only sends has to take answers now and then.
constexpr unsigned requests_between_looks = 16;

typed_buffer no_data() {
    return {nullptr, 0, byte_type()};
}

std::uint16_t number_of_handle(std::uintptr_t value) noexcept {
    return static_cast<std::uint16_t>(value);
}

} // namespace

/// Gathers runs of one operation and sends them as requests.
class message_origin::request_writer {
  public:
    /// @param origin the data for the runs, in order; no bytes: requests carry none
    request_writer(message_origin &by, request_kind what, int target, const request_head &head,
                   const typed_buffer &origin, awaited_answer *answer)
        : by_{by}, what_{what}, target_{target}, head_{head}, origin_{origin}, answer_{answer},
          room_{packet_room(by.on_, target) - sizeof(request_head)}, carries_{origin.bytes() != 0} {}

    /// @param unit no run is cut but at a multiple of this @param extent bytes of memory for each unit
    void add(std::uint64_t address, std::size_t bytes, std::size_t unit, std::size_t extent) {
        while (bytes != 0) {
            const std::size_t used = runs_.size() * sizeof(memory_run) + data_;
            const std::size_t left =
                room_ > used + sizeof(memory_run) ? room_ - used - sizeof(memory_run) : 0;
            const std::size_t some = std::min(bytes, left / unit * unit);
            if (some == 0) {
                send();
                continue;
            }
            runs_.push_back({address, some});
            data_ += some;
            bytes -= some;
            address += some / unit * extent;
        }
    }

    void send() {
        if (runs_.empty()) {
            return;
        }
        if (answer_ != nullptr) {
            wait_for_less();
        }
        head_.runs = static_cast<std::uint32_t>(runs_.size());
        head_.offset = static_cast<std::uint64_t>(done_);
        const std::size_t run_bytes = runs_.size() * sizeof(memory_run);
        outgoing_packet packet{by_.on_, target_, request_packet, static_cast<std::uint8_t>(what_),
                               sizeof head_ + run_bytes + (carries_ ? data_ : 0)};
        packet.write(0, &head_, sizeof head_);
        packet.write(sizeof head_, runs_.data(), run_bytes);
        if (carries_) {
            pack(origin_, done_, packet.bytes(sizeof head_ + run_bytes, data_));
        }
        packet.publish();
        done_ += static_cast<MPI_Count>(data_);
        runs_.clear();
        data_ = 0;
        if (++sent_ % requests_between_looks == 0) {
            by_.on_.home().progress();
        }
    }

  private:
    void wait_for_less() {
        const auto missing = [this] {
            const std::scoped_lock guard{by_.mutex_};
            return done_ - (total_ - answer_->missing);
        };
        if (missing() + static_cast<MPI_Count>(data_) > most_awaited_bytes) {
            protocol::wait_until(by_.on_.home(), [&] {
                return missing() <= most_awaited_bytes / 2 ||
                       answer_->complete.load(std::memory_order_acquire);
            });
        }
    }

    message_origin &by_;
    request_kind what_;
    int target_;
    request_head head_;
    typed_buffer origin_;
    awaited_answer *answer_;
    std::size_t room_;
    bool carries_;
    std::vector<memory_run> runs_;
    std::size_t data_ = 0; ///< bytes of these
    MPI_Count done_ = 0;   ///< bytes of the requests before
    MPI_Count total_ = answer_ != nullptr ? answer_->missing : 0;
    unsigned sent_ = 0;
};

// Called when the requests of an operation have been sent: else a flush by another thread, whose own request
// may overtake them, would have them forgotten.
void message_origin::note_touched(int target) {
    const std::scoped_lock guard{mutex_};
    touched_[target] =
        ++last_operation_; // a number that no other operation has, whatever is forgotten meanwhile
    any_touched_.store(true, std::memory_order_relaxed);
    on_.note_requests();
}

awaited_answer *message_origin::expect(const typed_buffer &into, int target) {
    auto answer = std::make_unique<awaited_answer>(on_.home(), into, target);
    answer->keep(*into.type);
    // Waiting for it looks where its packets come from.
    on_.home().core().expect(*answer, on_.number_of(target));
    const std::scoped_lock guard{mutex_};
    answer->id = answers_.insert(*answer);
    return answer.release();
}

void message_origin::give_up(awaited_answer &answer, int error) {
    {
        const std::scoped_lock guard{mutex_};
        if (answers_.find(answer.id) != &answer) {
            return; // it is complete, or about to be
        }
        answers_.erase(answer.id);
    }
    answer.missing = 0;
    answer.result.error = error;
    on_.home().complete(answer);
}

template <class Send> void message_origin::send_expecting(awaited_answer *answer, Send send) {
    try {
        send();
    } catch (const std::exception &caught) {
        if (answer != nullptr) {
            give_up(*answer, error_of(caught).code());
            answer->free();
        }
        throw;
    }
}

void message_origin::put(const typed_buffer &origin, const target_data &target, std::uint64_t address) {
    request_writer writer{*this, request_kind::put, target.rank, {}, origin, nullptr};
    for_each_run({reinterpret_cast<void *>(address), target.count, *target.type}, 0, origin.bytes(),
                 [&](std::uint64_t at, std::size_t bytes) { writer.add(at, bytes, 1, 1); });
    writer.send();
    note_touched(target.rank);
}

protocol::request *message_origin::get(const typed_buffer &origin, const target_data &target,
                                       std::uint64_t address) {
    const MPI_Count bytes = target.bytes();
    awaited_answer *const answer = expect(origin, target.rank);
    answer->missing = bytes;
    request_head head;
    head.id = answer->id;
    send_expecting(answer, [&] {
        request_writer writer{*this, request_kind::get, target.rank, head, no_data(), answer};
        for_each_run({reinterpret_cast<void *>(address), target.count, *target.type}, 0, bytes,
                     [&](std::uint64_t at, std::size_t length) { writer.add(at, length, 1, 1); });
        writer.send();
    });
    note_touched(target.rank);
    return answer;
}

protocol::request *message_origin::update(const typed_buffer &origin, MPI_Count bytes,
                                          const typed_buffer *result, const target_data &target,
                                          std::uint64_t address, const element_update &how) {
    awaited_answer *const answer = result != nullptr ? expect(*result, target.rank) : nullptr;
    request_head head;
    head.element = number_of_handle(how.element().facts()->handle);
    head.operation = number_of_handle(how.handle());
    if (answer != nullptr) {
        answer->missing = bytes;
        head.id = answer->id;
    }
    const auto size = static_cast<std::size_t>(how.element().size());
    const auto extent = static_cast<std::size_t>(how.element().extent());
    send_expecting(answer, [&] {
        request_writer writer{
            *this, request_kind::update, target.rank, head, how.reads_only() ? no_data() : origin, answer};
        for_each_element_run({reinterpret_cast<void *>(address), target.count, *target.type}, bytes,
                             how.element(), [&](std::byte *at, std::size_t elements) {
                                 writer.add(reinterpret_cast<std::uint64_t>(at), elements * size, size,
                                            extent);
                             });
        writer.send();
    });
    note_touched(target.rank);
    return answer;
}

protocol::request *message_origin::compare(const void *origin, const void *compare, void *result,
                                           const target_data &target, std::uint64_t address) {
    const auto size = static_cast<std::size_t>(target.type->size());
    awaited_answer *const answer = expect({result, 1, *target.type}, target.rank);
    request_head head;
    head.id = answer->id;
    head.runs = 1;
    head.element = number_of_handle(target.type->facts()->handle);
    const memory_run run{address, size};
    send_expecting(answer, [&] {
        outgoing_packet packet{on_, target.rank, request_packet,
                               static_cast<std::uint8_t>(request_kind::compare),
                               sizeof head + sizeof run + 2 * size};
        packet.write(0, &head, sizeof head);
        packet.write(sizeof head, &run, sizeof run);
        packet.write(sizeof head + sizeof run, compare, size);
        packet.write(sizeof head + sizeof run + size, origin, size);
        packet.publish();
    });
    note_touched(target.rank);
    return answer;
}

void message_origin::send_plain(request_kind what, int target, lock_word::kind kind, std::uint64_t id) {
    request_head head;
    head.id = id;
    head.operation = static_cast<std::uint16_t>(kind);
    outgoing_packet packet{on_, target, request_packet, static_cast<std::uint8_t>(what), sizeof head};
    packet.write(0, &head, sizeof head);
    packet.publish();
}

awaited_answer *message_origin::ask(request_kind what, int target, lock_word::kind kind) {
    awaited_answer *const answer = expect(no_data(), target);
    try {
        send_plain(what, target, kind, answer->id);
    } catch (const std::exception &caught) {
        give_up(*answer, error_of(caught).code());
    }
    return answer;
}

bool message_origin::settle(awaited_answer *answer) {
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

void message_origin::give_back(const std::vector<int> &targets, lock_word::kind held) {
    std::vector<awaited_answer *> answers;
    std::exception_ptr failure;
    const auto attempt = [&failure](const auto &part) {
        try {
            part();
        } catch (const std::exception &) {
            failure = failure != nullptr ? failure : std::current_exception();
        }
    };
    for (const int target : targets) {
        bool under_way = false;
        {
            const std::scoped_lock guard{mutex_};
            under_way = touched_.erase(target) != 0; // the answer says that it is done
            if (!under_way) {
                unanswered_.insert(target);
            }
        }
        if (under_way) {
            answers.push_back(ask(request_kind::unlock, target, held));
        } else {
            attempt([&] { send_plain(request_kind::unlock, target, held, 0); });
        }
    }
    for (awaited_answer *const answer : answers) {
        attempt([&] { settle(answer); });
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void message_origin::end() {
    std::vector<awaited_answer *> answers;
    for (const int target : unanswered_) { // no other thread uses the window any more
        answers.push_back(ask(request_kind::flush, target, lock_word::kind::shared));
    }
    for (awaited_answer *const answer : answers) {
        protocol::wait(*answer); // a target that has failed serves nothing
        answer->free();
    }
}

void message_origin::flush_touched(int target) {
    struct flushed {
        int target;
        std::uint64_t operation; ///< the last one before the flush
        awaited_answer *answer = nullptr;
    };
    std::vector<flushed> targets;
    {
        const std::scoped_lock guard{mutex_};
        for (const auto &[each, operation] : touched_) {
            if (target < 0 || target == each) {
                targets.push_back({each, operation});
            }
        }
    }
    for (flushed &each : targets) {
        each.answer = ask(request_kind::flush, each.target, lock_word::kind::shared);
    }
    std::exception_ptr failure;
    try {
        on_.copies.flush(); // meanwhile: both take a round trip
    } catch (const std::exception &) {
        failure = std::current_exception();
    }
    for (const flushed &each : targets) {
        try {
            settle(each.answer);
        } catch (const std::exception &) {
            failure = std::current_exception();
        }
        // Only now: another thread that flushes meanwhile has to wait for the same operations.
        const std::scoped_lock guard{mutex_};
        if (const auto known = touched_.find(each.target);
            known != touched_.end() && known->second == each.operation) {
            touched_.erase(known);
        }
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void message_origin::arrived_locked(protocol::engine &home, const protocol::arrival &packet) {
    if (packet.payload.size() < sizeof(reply_head)) {
        protocol::refuse(packet.peer, "is too short", packet.payload.size());
    }
    reply_head head;
    std::memcpy(&head, packet.payload.data(), sizeof head);
    const auto data = packet.payload.subspan(sizeof head);
    const std::scoped_lock guard{mutex_};
    awaited_answer *const answer = answers_.find(head.id);
    if (answer == nullptr || on_.number_of(answer->target) != packet.peer) {
        protocol::refuse(packet.peer, "answers what nobody asked for", head.id);
    }
    if (static_cast<reply_kind>(packet.flags) == reply_kind::done) {
        if (head.offset > static_cast<std::uint64_t>(on_.size())) {
            protocol::refuse(packet.peer, "blames a rank that the window does not have", head.offset);
        }
        answer->missing = 0;
        answer->failed = static_cast<int>(head.offset) - 1;
        answer->result.error = head.error == 0 ? MPI_SUCCESS : static_cast<int>(head.error);
    } else {
        const auto bytes = static_cast<MPI_Count>(data.size());
        const MPI_Count room = answer->into.bytes();
        if (bytes > answer->missing || head.offset > static_cast<std::uint64_t>(room) ||
            bytes > room - static_cast<MPI_Count>(head.offset)) {
            protocol::refuse(packet.peer, "brings data that nobody asked for", data.size());
        }
        unpack(answer->into, static_cast<MPI_Count>(head.offset), data);
        answer->missing -= bytes;
        answer->result.bytes += bytes;
    }
    if (answer->missing == 0) {
        answers_.erase(head.id);
        home.core().complete_locked(*answer);
    }
}

void message_origin::fail_locked(protocol::engine &home, int target) {
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
