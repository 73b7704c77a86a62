// SPDX-License-Identifier: Apache-2.0
#include "rma/messages/origin.hpp"

#include <mutex>

#include "datatype/predefined.hpp"
#include "protocol/point_to_point.hpp"
#include "rma/messages/packets.hpp"
#include "rma/state/failures_within.hpp"

namespace lisle::rma {

void message_origin::note_touched(int target) {
    const std::scoped_lock guard{mutex_};
    touched_[target] = ++last_operation_; // unique, whichever entries are erased
    any_touched_.store(true, std::memory_order_relaxed);
    members_.note_requests();
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
    std::vector<awaited_answer *> asked;
    failures_within failures;
    for (const int target : targets) {
        bool under_way = false;
        {
            const std::scoped_lock guard{mutex_};
            under_way = touched_.erase(target) != 0; // the answer to the unlock completes the operations too
            if (!under_way) {
                unanswered_.insert(target);
            }
        }
        if (under_way) {
            asked.push_back(ask(request_kind::unlock, target, held));
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
    std::vector<awaited_answer *> asked;
    for (const int target : unanswered_) { // without the lock: no other thread uses the window now
        asked.push_back(ask(request_kind::flush, target, lock_word::kind::shared));
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
        for (const auto &[each, operation] : touched_) {
            if (target < 0 || target == each) {
                asked.push_back({each, operation});
            }
        }
    }
    for (asked_flush &each : asked) {
        each.answer = ask(request_kind::flush, each.target, lock_word::kind::shared);
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
            known != touched_.end() && known->second == each.operation) {
            touched_.erase(known);
        }
    }
    failures.rethrow();
}

} // namespace lisle::rma
