// SPDX-License-Identifier: Apache-2.0
#include "collective/process/group_scan.hpp"

#include <mutex>

#include "base/copy_bytes.hpp"

namespace lisle::collective {

namespace {

/// Adds what a rank gives to the sum of those before it, if there is one, to have its result and, if anybody
/// comes after it, the next sum.
[[gnu::always_inline]] inline void add_to_sum(const op_on &operation, const scan_part &part,
                                              const std::byte *before, std::byte *after) {
    const auto bytes = static_cast<std::size_t>(part.bytes);
    void *const result = part.take.address;
    // If it is not the result, the sum is made first: what is given may lie where the result goes.
    void *const sum = part.exclusive ? after : result;
    if (sum == nullptr) {
        // nobody comes after it
    } else if (before == nullptr) {
        if (sum != part.give) {
            copy_bytes(sum, part.give, bytes);
        }
    } else if (sum == part.give) {
        operation.apply(before, sum, part.take.count);
    } else {
        operation.combine(before, part.give, sum, part.take.count);
    }
    if (part.exclusive && before != nullptr) {
        copy_bytes(result, before, bytes);
    } else if (!part.exclusive && after != nullptr) {
        copy_bytes(after, result, bytes);
    }
}

} // namespace

group_scan::group_scan(std::size_t members, scan_ring *before, scan_ring *after)
    : before_{before}, after_{after}, members_{members}, members_state_{
                                                             std::make_unique<participant[]>(members)} {
    for (std::size_t i = 0; i < depth; ++i) {
        rounds_[i].number = i;
    }
}

inline void group_scan::turn(round &now, participant &whose, const scan_part &part) {
    const std::size_t member = now.next++;
    const std::byte *before = now.sums[(member + 1) % 2];
    std::byte *after = now.sums[member % 2];
    if (member == 0) {
        before = before_ != nullptr ? before_->data(now.number) : nullptr;
        now.bytes = before_ != nullptr ? before_->bytes(now.number) : part.bytes;
    }
    if (now.next == members_) {
        after = after_ != nullptr ? after_->place(now.number) : nullptr;
    }
    if (now.bytes == part.bytes) [[likely]] {
        if (!operation_.is(*part.operation, *part.take.type)) [[unlikely]] {
            operation_ = {*part.operation, *part.take.type};
        }
        add_to_sum(operation_, part, before, after);
    } else {
        now.bytes = scan_ring::mismatch;
    }
    whose.mismatch = now.bytes == scan_ring::mismatch;
    if (member == 0 && before_ != nullptr) {
        before_->take(now.number);
        news_ = true;
    }
    if (now.next == members_ && after_ != nullptr) {
        after_->post(now.number, now.bytes);
    }
}

group_scan::outcome group_scan::add(std::size_t member, const scan_part &part) {
    const std::scoped_lock guard{lock_};
    participant &own = members_state_[member];
    const std::uint64_t number = own.begun++;
    round &now = rounds_[number % depth];
    news_ = false;
    if (now.number != number || now.next != member || !can_go_on(now)) {
        own.part = part;
        own.waits = true;
        return {.done = false, .mismatch = false, .news = false};
    }
    turn(now, own, part);
    if (now.next == members_ || members_state_[now.next].waits) {
        go_on(now);
    }
    return {.done = true, .mismatch = own.mismatch, .news = news_};
}

group_scan::outcome group_scan::look(std::size_t member) {
    const std::scoped_lock guard{lock_};
    const participant &own = members_state_[member];
    news_ = false;
    if (own.waits) {
        go_on(rounds_[(own.begun - 1) % depth]);
    }
    return {.done = !own.waits, .mismatch = own.mismatch, .news = news_};
}

void group_scan::go_on(round &now) {
    const auto waits = [&](const participant &next) { return next.waits && next.begun == now.number + 1; };
    while (now.next < members_ && waits(members_state_[now.next]) && can_go_on(now)) {
        participant &next = members_state_[now.next];
        turn(now, next, next.part);
        next.waits = false;
        news_ = true;
    }
    if (now.next == members_) {
        now.next = 0;
        now.number += depth; // now those may go on who are so far ahead
        news_ = true;
    }
}

} // namespace lisle::collective
