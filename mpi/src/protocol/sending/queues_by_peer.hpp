// SPDX-License-Identifier: Apache-2.0
// What waits to be sent, in order for each peer: a peer that takes no more does not hold up the others, and
// nobody looks at what waits behind the first that it refused.
#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>
#include <utility>

namespace lisle::protocol {

/// Not thread-safe.
template <class Waiting> class queues_by_peer {
  public:
    using queue = std::deque<Waiting>;

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// True if something waits for this peer.
    [[nodiscard]] bool any_for(int peer) const noexcept { return size_ != 0 && queues_.contains(peer); }
    /// Throws std::bad_alloc, and leaves nothing behind then.
    void push_back(int peer, Waiting waiting) {
        const auto place = queues_.try_emplace(peer).first;
        try {
            place->second.push_back(std::move(waiting));
        } catch (...) {
            if (place->second.empty()) {
                queues_.erase(place); // nothing would wait in it, and others behind that
            }
            throw;
        }
        ++size_;
    }
    /// Calls `serve(peer, queue)` for each peer for which something waits. It may take from its queue.
    template <class Serve> void serve_each(Serve serve) {
        struct counted { // also if `serve` throws
            ~counted() { size -= before - served.size(); }
            std::size_t &size;
            queue &served;
            const std::size_t before = served.size();
        };
        for (auto place = queues_.begin(); place != queues_.end();) {
            {
                const counted all{size_, place->second};
                serve(place->first, place->second);
            }
            place = place->second.empty() ? queues_.erase(place) : std::next(place);
        }
    }
    /// Takes all that waits for a peer out.
    [[nodiscard]] queue take(int peer) {
        queue taken;
        if (const auto place = queues_.find(peer); place != queues_.end()) {
            taken = std::move(place->second);
            queues_.erase(place);
            size_ -= taken.size();
        }
        return taken;
    }

  private:
    std::unordered_map<int, queue> queues_;
    std::size_t size_ = 0;
};

} // namespace lisle::protocol
