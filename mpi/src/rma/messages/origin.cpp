// SPDX-License-Identifier: Apache-2.0
#include "rma/messages/origin.hpp"

#include <mutex>
#include <new>

#include "datatype/predefined.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "protocol/point_to_point.hpp"
#include "rma/messages/packets.hpp"
#include "rma/state/failures_within.hpp"

namespace lisle::rma {

message_origin::sending::sending(message_origin &by, int target) : by_{by}, target_{target} {
    const std::scoped_lock guard{by_.mutex_};
    ++by_.touched_[target].unfinished;
}

message_origin::sending::~sending() {
    const std::scoped_lock guard{by_.mutex_};
    target_operations &of_target = by_.touched_.find(target_)->second;
    of_target.latest = ++by_.last_operation_; // unique, whichever entries are erased
    --of_target.unfinished;
    by_.any_touched_.store(true, std::memory_order_relaxed);
    by_.members_.note_requests();
}

bool message_origin::forget_touched(int target) {
    const std::scoped_lock guard{mutex_};
    const auto found = touched_.find(target);
    if (found == touched_.end()) {
        unanswered_.insert(target);
        return false;
    }
    if (found->second.unfinished == 0) {
        touched_.erase(found);
    }
    return true;
}

void message_origin::send_plain(request_kind what, int target, lock_word::kind kind, std::uint64_t id) {
    request_head head;
    head.id = id;
    head.operation = static_cast<std::uint16_t>(kind);
    outgoing_packet packet{members_, target, request_packet, static_cast<std::uint8_t>(what), sizeof head};
    packet.write(0, &head, sizeof head);
    packet.publish();
}

awaited_answer *message_origin::ask(request_kind what, int target, lock_word::kind kind) {
    awaited_answer *const answer = answers.expect({nullptr, 0, byte_type()}, target);
    try {
        send_plain(what, target, kind, answer->id);
    } catch (const std::exception &caught) {
        answers.give_up(*answer, error_of(caught).code());
    }
    return answer;
}

void message_origin::give_back(const std::vector<int> &targets, lock_word::kind held) {
    protocol::engine &home = members_.home();
    std::vector<awaited_answer *> asked;
    protocol::once_there_is_memory(home, [&] { asked.reserve(targets.size()); });
    failures_within failures;
    for (const int target : targets) {
        if (protocol::once_there_is_memory(home, [&] { return forget_touched(target); })) {
            asked.push_back(protocol::once_there_is_memory(
                home, [&] { return ask(request_kind::unlock, target, held); }));
        } else {
            failures.attempt([&] { send_plain(request_kind::unlock, target, held, 0); });
        }
    }
    for (awaited_answer *const answer : asked) {
        failures.attempt([&] { awaited_answers::settle(answer); });
    }
    failures.rethrow();
}

void message_origin::end() {
    protocol::engine &home = members_.home();
    std::vector<awaited_answer *> asked;
    protocol::once_there_is_memory(home, [&] { asked.reserve(unanswered_.size()); });
    for (const int target : unanswered_) { // without the lock: no other thread uses the window now
        asked.push_back(protocol::once_there_is_memory(
            home, [&] { return ask(request_kind::flush, target, lock_word::kind::shared); }));
    }
    for (awaited_answer *const answer : asked) {
        protocol::wait(*answer); // its error does not matter: a failed target serves nothing
        answer->free();
    }
}

std::vector<message_origin::asked_flush> message_origin::ask_touched(int target) {
    std::vector<asked_flush> asked;
    {
        const std::scoped_lock guard{mutex_};
        for (const auto &[each, operations] : touched_) {
            if (target < 0 || target == each) {
                asked.push_back({each, operations.latest});
            }
        }
    }
    try {
        for (asked_flush &each : asked) {
            each.answer = ask(request_kind::flush, each.target, lock_word::kind::shared);
        }
    } catch (const std::bad_alloc &) {
        for (const asked_flush &each : asked) {
            if (each.answer != nullptr) {
                protocol::wait(*each.answer);
                each.answer->free();
            }
        }
        throw;
    }
    return asked;
}

void message_origin::await(const std::vector<asked_flush> &asked) {
    failures_within failures;
    for (const asked_flush &each : asked) {
        failures.attempt([&] { awaited_answers::settle(each.answer); });
        // Erased only now, since another thread that flushes meanwhile waits for the same operations.
        const std::scoped_lock guard{mutex_};
        if (const auto known = touched_.find(each.target);
            known != touched_.end() && known->second.are_done_with(each.operation)) {
            touched_.erase(known);
        }
    }
    failures.rethrow();
}

} // namespace lisle::rma
