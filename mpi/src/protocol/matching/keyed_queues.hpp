// SPDX-License-Identifier: Apache-2.0
// Many first-in-first-out queues, found by envelope through a hash table. Nodes carry their own links,
// so appending and removing allocate nothing once the table has grown. Every operation takes constant
// time, whatever the number of nodes or of different envelopes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "protocol/message/envelope.hpp"
#include "protocol/message/queue_link.hpp"

namespace lisle::protocol {

template <class Node> struct queue_of {
    envelope key;
    Node *first;
    Node *last;
    queue_of *next_in_bin;
};

/// `Node` has `queue_link<Node> &link(unsigned wildcards)`: its place in queues whose key has these
/// wildcards. Not thread-safe.
template <class Node> class keyed_queues {
  public:
    /// Makes room for so many queues more: append() then allocates nothing for them.
    void reserve(std::size_t queues) {
        while (queues_ + queues > bins_.size()) {
            grow();
        }
        std::size_t unused = 0;
        for (const auto *queue = spare_; queue != nullptr && unused < queues; queue = queue->next_in_bin) {
            ++unused;
        }
        if (unused < queues) {
            add_spares();
        }
    }

    /// Changes nothing if it throws, for lack of memory.
    void append(const envelope &key, Node &node) {
        queue_of<Node> &queue = find_or_make(key);
        auto &link = node.link(key.wildcards());
        link = {queue.last, nullptr, &queue};
        if (queue.last != nullptr) {
            queue.last->link(key.wildcards()).next = &node;
        } else {
            queue.first = &node;
        }
        queue.last = &node;
    }

    /// Puts a node back that was the first of its queue until it was removed just now.
    void put_back(const envelope &key, Node &node) noexcept {
        queue_of<Node> &queue = find_or_make(key); // whose place is there still
        auto &link = node.link(key.wildcards());
        link = {nullptr, queue.first, &queue};
        (queue.first != nullptr ? queue.first->link(key.wildcards()).previous : queue.last) = &node;
        queue.first = &node;
    }

    /// The longest-waiting node under exactly this key, or null.
    [[nodiscard]] Node *first(const envelope &key) const noexcept {
        const queue_of<Node> *const queue = find(key);
        return queue != nullptr ? queue->first : nullptr;
    }
    /// The latest one, or null.
    [[nodiscard]] Node *last(const envelope &key) const noexcept {
        const queue_of<Node> *const queue = find(key);
        return queue != nullptr ? queue->last : nullptr;
    }

    /// @pre node.link(wildcards).queue != nullptr
    void remove(Node &node, unsigned wildcards) noexcept {
        auto &link = node.link(wildcards);
        queue_of<Node> &queue = *link.queue;
        (link.previous != nullptr ? link.previous->link(wildcards).next : queue.first) = link.next;
        (link.next != nullptr ? link.next->link(wildcards).previous : queue.last) = link.previous;
        link = {};
        if (queue.first == nullptr) {
            drop(queue);
        }
    }

    /// Calls `use` with each node, in no particular order.
    template <class Use> void each(Use use) {
        for (queue_of<Node> *bin : bins_) {
            for (auto *queue = bin; queue != nullptr; queue = queue->next_in_bin) {
                for (Node *node = queue->first; node != nullptr;
                     node = node->link(queue->key.wildcards()).next) {
                    use(*node);
                }
            }
        }
    }

  private:
    static constexpr std::size_t first_bins = 16;

    [[nodiscard]] std::size_t bin_of(const envelope &key) const noexcept {
        // Multiplication by large odd constants spreads neighbouring ranks, tags and contexts.
        std::uint64_t hash = key.context * 0x9e3779b97f4a7c15U;
        hash ^= (std::uint64_t{static_cast<std::uint32_t>(key.source)} << 32 |
                 static_cast<std::uint32_t>(key.tag));
        hash *= 0xd6e8feb86659fd93U;
        return static_cast<std::size_t>(hash >> 32) & (bins_.size() - 1);
    }

    [[nodiscard]] const queue_of<Node> *find(const envelope &key) const noexcept {
        const queue_of<Node> *queue = bins_.empty() ? nullptr : bins_[bin_of(key)];
        while (queue != nullptr && queue->key != key) {
            queue = queue->next_in_bin;
        }
        return queue;
    }

    queue_of<Node> &find_or_make(const envelope &key) {
        if (queues_ >= bins_.size()) {
            grow();
        }
        auto *&bin = bins_[bin_of(key)];
        for (auto *queue = bin; queue != nullptr; queue = queue->next_in_bin) {
            if (queue->key == key) {
                return *queue;
            }
        }
        queue_of<Node> *const made = spare();
        *made = {key, nullptr, nullptr, bin};
        bin = made;
        ++queues_;
        return *made;
    }

    void drop(queue_of<Node> &queue) noexcept {
        auto **place = &bins_[bin_of(queue.key)];
        while (*place != &queue) {
            place = &(*place)->next_in_bin;
        }
        *place = queue.next_in_bin;
        --queues_;
        queue.next_in_bin = spare_;
        spare_ = &queue;
    }

    queue_of<Node> *spare() {
        if (spare_ == nullptr) {
            add_spares();
        }
        return std::exchange(spare_, spare_->next_in_bin);
    }

    void add_spares() {
        // Few at first: of a hundred thousand ranks most ever have one or two.
        constexpr std::size_t first = 8, doublings = 3;
        const std::size_t batch = first << std::min(storage_.size(), doublings);
        storage_.push_back(std::make_unique<queue_of<Node>[]>(batch));
        for (std::size_t i = 0; i < batch; ++i) {
            auto &fresh = storage_.back()[i];
            fresh.next_in_bin = spare_;
            spare_ = &fresh;
        }
    }

    void grow() {
        const std::vector<queue_of<Node> *> old = std::exchange(
            bins_, std::vector<queue_of<Node> *>(bins_.empty() ? first_bins : bins_.size() * 4));
        for (auto *queue : old) {
            while (queue != nullptr) {
                auto *const next = queue->next_in_bin;
                auto *&bin = bins_[bin_of(queue->key)];
                queue->next_in_bin = bin;
                bin = queue;
                queue = next;
            }
        }
    }

    std::vector<queue_of<Node> *> bins_;
    std::size_t queues_ = 0;
    queue_of<Node> *spare_ = nullptr;
    std::vector<std::unique_ptr<queue_of<Node>[]>> storage_;
};

} // namespace lisle::protocol
