// SPDX-License-Identifier: Apache-2.0
// Messages that have arrived before their receive, or are arriving: found in constant time by source and tag,
// by either, or by neither, always the oldest first. Each message stands in one queue for each of these four
// ways of asking; one that is taken is passed over in the others when it comes to the front.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tile/rmpi/endpoint.hpp"

namespace lisle::tile::rmpi {

struct unexpected_message {
    envelope of;
    std::vector<word> words;
    std::uint32_t left = 0; ///< words that have not arrived
    bool taken = false;
};

class message_table {
  public:
    using message = std::shared_ptr<unexpected_message>;

    void insert(const message &inserted);
    /// The oldest message for a receive, or null. @param source, tag may be `any`
    [[nodiscard]] message find(int source, int tag, int context);
    /// find() will not return it again.
    void take(const message &taken);
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The most keys that one look-up has to compare: those that the hash puts in one place.
    [[nodiscard]] std::size_t largest_bucket() const noexcept;
    /// Queue elements looked at by all calls of find().
    [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }

  private:
    struct key {
        int source, tag, context;
        friend bool operator==(const key &, const key &) = default;
    };
    struct key_hash {
        std::size_t operator()(const key &of) const noexcept;
    };

    std::unordered_map<key, std::deque<message>, key_hash> queues_;
    std::size_t size_ = 0;
    std::int64_t steps_ = 0;
};

} // namespace lisle::tile::rmpi
