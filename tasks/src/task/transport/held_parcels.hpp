// SPDX-License-Identifier: Apache-2.0
// Parcels of a rank that have to wait for a longer one before them, which comes by a way of its own.
#pragma once

#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <lisle/task/transport.hpp>

namespace lisle::tasks {

class held_parcels {
  public:
    struct parcel {
        std::vector<std::byte> bytes;
        bool is_here = false;
    };

    /// A long parcel that is under way: the caller fills it and sets is_here.
    std::shared_ptr<parcel> expect(int from, std::size_t bytes) {
        auto coming = std::make_shared<parcel>();
        coming->bytes.resize(bytes);
        by_rank_[from].push_back(coming);
        return coming;
    }
    /// Takes a parcel that has come, if one before it has not. False: it may be received now.
    bool hold(int from, std::span<const std::byte> bytes) {
        const auto held = by_rank_.find(from);
        if (held == by_rank_.end()) {
            return false;
        }
        held->second.push_back(std::make_shared<parcel>(parcel{{bytes.begin(), bytes.end()}, true}));
        return true;
    }
    /// Hands over the parcels that need not wait any more.
    void deliver(const transport::receiver &receive) {
        for (auto each = by_rank_.begin(); each != by_rank_.end();) {
            auto &[from, queue] = *each;
            while (!queue.empty() && queue.front()->is_here) {
                const auto next = std::move(queue.front());
                queue.pop_front();
                receive(from, next->bytes);
            }
            each = queue.empty() ? by_rank_.erase(each) : std::next(each);
        }
    }

  private:
    std::map<int, std::deque<std::shared_ptr<parcel>>> by_rank_; ///< none of them empty
};

} // namespace lisle::tasks
