// SPDX-License-Identifier: Apache-2.0
#include "protocol/matching/matching.hpp"

#include <mutex>

#include "execution/wait_note.hpp"
#include "world/job.hpp"

namespace lisle::protocol {

matching::matching(engine_core &core, std::int64_t unexpected_limit) noexcept
    : core_{core}, leaves_open_{core.observer != nullptr && core.self.job.clock().leaves_open()},
      limit_{unexpected_limit} {}

void matching::join_locked(receive_operation &posted, unexpected_message &stored) {
    matcher_.withdraw(posted); // with an observer nothing is published
    matcher_.take(stored);
    core_.observer->message_taken(posted, stored.what, matcher_);
    posted.captured = &stored;
    posted.what = pending_work::kind::stored;
    core_.do_unlocked(posted);
    update_congestion();
}

void matching::take_locked(unexpected_message &message) {
    matcher_.take(message);
    update_congestion();
}

receive_operation *matching::match_announced(const envelope &message, std::uint64_t sender) noexcept {
    receive_operation *const claimed = published().any() ? published().claimed_for(message, sender) : nullptr;
    if (claimed == nullptr) {
        return matcher_.match(message, sender);
    }
    if (claimed->posted) {
        matcher_.withdraw(*claimed);
    }
    return claimed;
}

bool matching::withdraw_locked(receive_operation &receive) noexcept {
    if (receive.publication != 0 && !published().withdraw(receive)) {
        return false;
    }
    matcher_.withdraw(receive);
    return true;
}

unexpected_message *matching::take_for_locked(const receive_operation &receive) {
    unexpected_message *const message = matcher_.find(receive.pattern);
    if (message != nullptr) {
        if (leaves_open_) [[unlikely]] {
            return nullptr;
        }
        matcher_.take(*message);
        if (core_.observer != nullptr) [[unlikely]] {
            core_.observer->message_taken(receive, message->what, matcher_);
        }
        update_congestion();
    }
    return message;
}

void matching::enter_all_started_locked() {
    started_.take_all([this](receive_operation &receive) {
        // Those that are stored now came since try_start_alone() asked.
        unexpected_message *const message = matcher_.stores_nothing() ? nullptr : take_for_locked(receive);
        if (message == nullptr) [[likely]] {
            matcher_.post(receive);
            return;
        }
        receive.captured = message;
        receive.what = pending_work::kind::stored;
        core_.do_unlocked(receive);
    });
}

void matching::keep_locked(unexpected_message &message, receive_operation *captor) {
    if (captor != nullptr) {
        captor->captured = &message;
        core_.complete_locked(*captor);
        return;
    }
    try {
        matcher_.store(message);
    } catch (...) {
        unexpected_message::destroy(&message);
        throw;
    }
    core_.counts.add(counted::unexpected_messages);
    core_.counts.add(counted::unexpected_bytes, static_cast<std::uint64_t>(message.bytes));
    update_congestion();
}

unexpected_message *matching::probe_locked(const envelope &pattern, bool take) {
    unexpected_message *const message = matcher_.find(pattern);
    if (message != nullptr && take) {
        take_locked(*message);
    }
    return message;
}

bool matching::awaits(const envelope &message) {
    return matcher_.posted_where([&message](const receive_operation &receive) {
        return receive.pattern.accepts(message);
    }) != nullptr;
}

void matching::list_unexpected(wait_note &note) {
    const std::scoped_lock guard{core_.bare_lock()};
    matcher_.each_stored([&note](const unexpected_message &stored) {
        note.add(wait_note::message{stored.what.context, stored.bytes, stored.what.source, stored.what.tag});
    });
}

std::size_t matching::stored_bytes() {
    const std::scoped_lock guard{core_.bare_lock()};
    return matcher_.stored_bytes();
}

std::size_t matching::limit_in_force() {
    const std::scoped_lock guard{core_.bare_lock()};
    return congested_ ? limit_.bytes() : 0;
}

void matching::change_congestion() {
    // Leaves congestion only well below the limit, so that the mark does not flicker.
    const std::size_t stored = matcher_.stored_bytes();
    const bool congested = congested_ ? stored > limit_.bytes() / 2 : !limit_.make_room_for(stored);
    if (congested != congested_) {
        congested_ = congested;
        for (fabric::packet_source *const each : core_.self.routes.fabrics()) {
            each->set_congested(core_.self.number, congested);
        }
    }
}

} // namespace lisle::protocol
