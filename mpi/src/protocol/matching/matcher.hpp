// SPDX-License-Identifier: Apache-2.0
// One rank's matching: which posted receive takes an arriving message, and which stored message a new
// receive takes. A match costs the same with one entry and with a hundred thousand, wildcards included
// [MPI-5.0 3.5: messages and receives match in order]. Not thread-safe: the engine's lock protects it.
//
// Posted receives that all have one pattern, as they mostly do, lie in one row. Others lie in a queue for
// their pattern; an arriving message can be taken from at most four queues (source and tag each given or
// any), of which the one whose head was posted first wins.
// Unexpected messages lie in a queue for their envelope and, once a receive or probe with that kind of
// wildcard has been seen, in the queues of the wildcards as well.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "protocol/matching/keyed_queues.hpp"
#include "protocol/matching/publications.hpp"
#include "protocol/matching/unexpected.hpp"
#include "protocol/message/operation.hpp"

namespace lisle::protocol {

class matcher {
  public:
    matcher() = default;
    matcher(const matcher &) = delete;
    matcher &operator=(const matcher &) = delete;
    ~matcher();

    /// Changes nothing if it throws, for lack of memory.
    void post(receive_operation &receive) {
        if (in_table_ == 0 && (first_ == nullptr || first_->pattern == receive.pattern)) [[likely]] {
            receive.link(0).previous = last_;
            receive.link(0).next = nullptr;
            (first_ != nullptr ? last_->link(0).next : first_) = &receive;
            last_ = &receive;
            receive.posted = true;
            return;
        }
        post_in_table(receive);
    }
    /// The same for one that senders may fill, if that is possible without another order of messages.
    /// @pre published().possible()
    void post_and_publish(receive_operation &receive);
    /// Takes a receive that is still posted back. @pre receive.posted; nobody else can claim it
    void withdraw(receive_operation &receive) noexcept;
    /// The receive that takes a message with this envelope, taken out; or null.
    /// @param announced its sender's identifier; 0: it is not announced. A receive that has been claimed for
    /// it stays published
    [[nodiscard]] receive_operation *match(envelope message, std::uint64_t announced = 0) noexcept {
        receive_operation *const head = first_;
        if (head == nullptr) {
            return in_table_ != 0 ? match_in_table(message, announced) : nullptr;
        }
        if (!head->pattern.accepts(message)) {
            return nullptr;
        }
        first_ = head->link(0).next;
        head->posted = false;
        return head;
    }
    /// Undoes the latest match(), since which nothing has changed.
    void put_back(receive_operation &matched) noexcept;
    /// The posted receives of which this is true, linked by `next`; null: none. Takes time in proportion to
    /// what is posted, and no memory.
    template <class Predicate> [[nodiscard]] receive_operation *posted_where(Predicate is_wanted) {
        receive_operation *found = nullptr;
        pending_work *last = nullptr;
        const auto note = [&](receive_operation &receive) {
            if (is_wanted(receive)) {
                receive.next = nullptr;
                found = found == nullptr ? &receive : found;
                if (last != nullptr) {
                    last->next = &receive;
                }
                last = &receive;
            }
        };
        for (receive_operation *each = first_; each != nullptr;
             each = each == last_ ? nullptr : each->link(0).next) {
            note(*each);
        }
        posted_.each(note);
        return found;
    }

    /// All of them in the order of posting.
    [[nodiscard]] std::vector<receive_operation *> posted_in_order();

    /// Changes nothing if it throws, for lack of memory.
    void store(unexpected_message &message);
    /// The oldest stored message that `pattern` accepts, or null.
    [[nodiscard]] unexpected_message *find(const envelope &pattern);
    /// Takes a stored message out; the caller owns it.
    void take(unexpected_message &message) noexcept;
    /// The stored announcement with this sender, or null. Takes time in proportion to what is stored.
    [[nodiscard]] unexpected_message *find_announced(int rank, std::uint64_t sender) noexcept;

    [[nodiscard]] publications &published() noexcept { return published_; }
    [[nodiscard]] const publications &published() const noexcept { return published_; }

    [[nodiscard]] unexpected_message *oldest() noexcept { return oldest_; }
    /// Calls `function` with each stored message, the oldest first.
    template <class Function> void each_stored(Function function) const {
        for (const unexpected_message *stored = oldest_; stored != nullptr; stored = stored->newer) {
            function(*stored);
        }
    }
    /// Where a debugger finds the oldest stored message, and the first receive of the row.
    struct head_places {
        unexpected_message *const *oldest;
        receive_operation *const *first;
    };
    [[nodiscard]] head_places heads() const noexcept { return {&oldest_, &first_}; }
    [[nodiscard]] std::size_t stored_bytes() const noexcept { return stored_bytes_; }
    /// True if nothing is posted and nothing stored.
    [[nodiscard]] bool idle() const noexcept {
        return first_ == nullptr && oldest_ == nullptr && in_table_ == 0;
    }
    [[nodiscard]] bool stores_nothing() const noexcept { return oldest_ == nullptr; }
    /// The opposite as of late, for who asks without the lock.
    [[nodiscard]] bool may_store() const noexcept { return stores_.load(std::memory_order_relaxed); }

  private:
    void append_posted(receive_operation &receive);
    [[gnu::noinline]] void post_in_table(receive_operation &receive);
    [[nodiscard, gnu::noinline]] receive_operation *match_in_table(envelope message,
                                                                   std::uint64_t announced) noexcept;
    [[nodiscard]] receive_operation *first_in_table(const envelope &message) const noexcept;
    [[nodiscard]] bool may_be_first(const envelope &pattern) const noexcept;
    void leave_row(receive_operation &receive) noexcept {
        const auto &link = receive.link(0);
        (&receive != first_ ? link.previous->link(0).next : first_) = link.next;
        (link.next != nullptr ? link.next->link(0).previous : last_) = link.previous;
        receive.posted = false;
    }
    void index_by(unsigned wildcards);
    void leave_queues(unexpected_message &message) noexcept;

    // Either the row or the table is empty. Of an empty row `last_` means nothing, nor does what the first
    // one says of a previous one: then a match need not touch the receive behind the one that it takes.
    receive_operation *first_ = nullptr;
    receive_operation *last_ = nullptr;
    std::size_t in_table_ = 0;
    keyed_queues<receive_operation> posted_;
    std::array<std::size_t, 4> posted_with_{}; ///< receives in the table, by wildcards
    std::uint64_t next_stamp_ = 0;
    publications published_; ///< of those in the table

    keyed_queues<unexpected_message> stored_;
    std::array<bool, 4> indexed_{true, false, false, false};
    unexpected_message *oldest_ = nullptr;
    unexpected_message *newest_ = nullptr;
    std::size_t stored_bytes_ = 0;
    // Relaxed: a hint that orders nothing.
    std::atomic<bool> stores_{false};
};

} // namespace lisle::protocol
