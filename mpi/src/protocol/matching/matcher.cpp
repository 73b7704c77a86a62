// SPDX-License-Identifier: Apache-2.0
#include "protocol/matching/matcher.hpp"

#include <algorithm>
#include <new>

#include "base/block_cache.hpp"
#include "base/copy_bytes.hpp"

namespace lisle::protocol {

namespace {

// Room for a message that fits into a mailbox's cell, and some more.
constexpr std::size_t small_message = sizeof(unexpected_message) + 64;

} // namespace

unexpected_message *unexpected_message::make(engine &home, std::size_t stored) {
    const std::size_t needed = sizeof(unexpected_message) + stored;
    void *const memory =
        needed <= small_message ? block_cache<small_message>::take() : ::operator new(needed);
    return new (memory) unexpected_message{home, stored};
}

unexpected_message *unexpected_message::make_whole(engine &home, const envelope &what,
                                                   std::span<const std::byte> data) {
    unexpected_message *const made = make(home, data.size());
    made->what = what;
    made->bytes = static_cast<MPI_Count>(data.size());
    if (!data.empty()) {
        copy_bytes(made->data().data(), data.data(), data.size());
    }
    return made;
}

void unexpected_message::destroy(unexpected_message *message) noexcept {
    const std::size_t size = message->footprint();
    message->~unexpected_message();
    if (size <= small_message) {
        block_cache<small_message>::give(message);
    } else {
        ::operator delete(message);
    }
}

matcher::~matcher() {
    while (oldest_ != nullptr) {
        unexpected_message *const message = oldest_;
        take(*message);
        unexpected_message::destroy(message);
    }
}

void matcher::append_posted(receive_operation &receive) {
    posted_.append(receive.pattern, receive);
    receive.stamp = next_stamp_++;
    receive.posted = true;
    ++posted_with_[receive.pattern.wildcards()];
    ++in_table_;
}

void matcher::post_in_table(receive_operation &receive) {
    if (first_ != nullptr) {
        posted_.reserve(2); // for the pattern of the row and for the new one: what follows must not throw
    }
    for (receive_operation *next = std::exchange(first_, nullptr); next != nullptr;) {
        receive_operation &moved = *std::exchange(next, next->link(0).next);
        append_posted(moved);
    }
    append_posted(receive);
}

void matcher::withdraw(receive_operation &receive) noexcept {
    if (in_table_ == 0) {
        leave_row(receive);
        return;
    }
    receive.posted = false;
    const unsigned wildcards = receive.pattern.wildcards();
    posted_.remove(receive, wildcards);
    --posted_with_[wildcards];
    --in_table_;
}

receive_operation *matcher::first_in_table(const envelope &message) const noexcept {
    receive_operation *best = nullptr;
    for (unsigned wildcards = 0; wildcards < 4; ++wildcards) {
        if (posted_with_[wildcards] != 0) {
            receive_operation *const head = posted_.first(message.blurred(wildcards));
            if (head != nullptr && (best == nullptr || head->stamp < best->stamp)) {
                best = head;
            }
        }
    }
    return best;
}

receive_operation *matcher::match_in_table(envelope message, std::uint64_t announced) noexcept {
    while (receive_operation *const best = first_in_table(message)) {
        const bool is_claimed = best->publication != 0 && !published_.take(*best);
        withdraw(*best);
        if (!is_claimed || published_.is_claimed_for(*best, announced)) {
            return best;
        }
        // Another message of that sender, sent by another thread, has it.
    }
    return nullptr;
}

// ---- receives that senders may fill ----

// Senders look at what is published alone.
bool matcher::may_be_first(const envelope &pattern) const noexcept {
    if (first_ != nullptr) {
        return first_->pattern.wildcards() == 0 && first_->pattern != pattern;
    }
    const receive_operation *const before = posted_.last(pattern);
    return posted_with_[1] + posted_with_[2] + posted_with_[3] == 0 &&
           (before == nullptr || before->publication != 0);
}

void matcher::post_and_publish(receive_operation &receive) {
    const bool publishes = !published_.full() && may_be_first(receive.pattern);
    if (!publishes) {
        post(receive);
        return;
    }
    post_in_table(receive);
    published_.publish(receive);
}

void matcher::put_back(receive_operation &matched) noexcept {
    matched.posted = true;
    if (in_table_ == 0) {
        matched.link(0) = {nullptr, first_, nullptr};
        (first_ != nullptr ? first_->link(0).previous : last_) = &matched;
        first_ = &matched;
        return;
    }
    const unsigned wildcards = matched.pattern.wildcards();
    posted_.put_back(matched.pattern, matched);
    ++posted_with_[wildcards];
    ++in_table_;
}

std::vector<receive_operation *> matcher::posted_in_order() {
    std::vector<receive_operation *> all;
    for (pending_work *each = posted_where([](const receive_operation &) { return true; }); each != nullptr;
         each = each->next) {
        all.push_back(static_cast<receive_operation *>(each));
    }
    if (in_table_ != 0) { // the row is in order, and has no stamps
        std::ranges::sort(all, {}, &receive_operation::stamp);
    }
    return all;
}

void matcher::store(unexpected_message &message) {
    try {
        for (unsigned wildcards = 0; wildcards < 4; ++wildcards) {
            if (indexed_[wildcards]) {
                stored_.append(message.what.blurred(wildcards), message);
            }
        }
    } catch (...) {
        leave_queues(message);
        throw;
    }
    message.older = newest_;
    (newest_ != nullptr ? newest_->newer : oldest_) = &message;
    newest_ = &message;
    stores_.store(true, std::memory_order_relaxed);
    stored_bytes_ += message.footprint();
}

void matcher::leave_queues(unexpected_message &message) noexcept {
    for (unsigned wildcards = 0; wildcards < 4; ++wildcards) {
        if (message.link(wildcards).queue != nullptr) {
            stored_.remove(message, wildcards);
        }
    }
}

void matcher::index_by(unsigned wildcards) {
    for (auto *message = oldest_; message != nullptr; message = message->newer) {
        if (message->link(wildcards).queue == nullptr) { // else from an earlier try that found no memory
            stored_.append(message->what.blurred(wildcards), *message);
        }
    }
    indexed_[wildcards] = true;
}

unexpected_message *matcher::find(const envelope &pattern) {
    if (oldest_ == nullptr) {
        return nullptr;
    }
    const unsigned wildcards = pattern.wildcards();
    if (!indexed_[wildcards]) {
        index_by(wildcards);
    }
    return stored_.first(pattern);
}

void matcher::take(unexpected_message &message) noexcept {
    (message.older != nullptr ? message.older->newer : oldest_) = message.newer;
    (message.newer != nullptr ? message.newer->older : newest_) = message.older;
    message.older = message.newer = nullptr;
    stores_.store(oldest_ != nullptr, std::memory_order_relaxed);
    stored_bytes_ -= message.footprint();
    leave_queues(message);
}

unexpected_message *matcher::find_announced(int rank, std::uint64_t sender) noexcept {
    for (auto *message = oldest_; message != nullptr; message = message->newer) {
        if (message->announced() && message->sender.peer == rank && message->sender.sender == sender &&
            !message->sender.plain()) {
            return message;
        }
    }
    return nullptr;
}

} // namespace lisle::protocol
