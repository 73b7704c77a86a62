// SPDX-License-Identifier: Apache-2.0
#include "tile/rmpi/message_table.hpp"

#include <algorithm>

namespace lisle::tile::rmpi {

std::size_t message_table::key_hash::operator()(const key &of) const noexcept {
    // Fields are spread over the word before they are combined, so that neighbouring sources and tags do not
    // collide.
    std::uint64_t mixed = static_cast<std::uint32_t>(of.source) * 0x9e3779b97f4a7c15ULL;
    mixed ^= static_cast<std::uint32_t>(of.tag) * 0xc2b2ae3d27d4eb4fULL + (mixed >> 29);
    mixed ^= static_cast<std::uint32_t>(of.context) * 0x165667b19e3779f9ULL + (mixed >> 31);
    return mixed ^ mixed >> 32;
}

void message_table::insert(const message &inserted) {
    const envelope &of = inserted->of;
    for (const int source : {of.source, any}) {
        for (const int tag : {of.tag, any}) {
            queues_[{source, tag, of.context}].push_back(inserted);
        }
    }
    ++size_;
}

message_table::message message_table::find(int source, int tag, int context) {
    const auto found = queues_.find({source, tag, context});
    if (found == queues_.end()) {
        return nullptr;
    }
    std::deque<message> &queue = found->second;
    for (; !queue.empty(); queue.pop_front()) {
        ++steps_;
        if (!queue.front()->taken) {
            return queue.front();
        }
    }
    queues_.erase(found);
    return nullptr;
}

std::size_t message_table::largest_bucket() const noexcept {
    std::size_t most = 0;
    for (std::size_t bucket = 0; bucket < queues_.bucket_count(); ++bucket) {
        most = std::max(most, queues_.bucket_size(bucket));
    }
    return most;
}

void message_table::take(const message &taken) {
    taken->taken = true;
    --size_;
}

} // namespace lisle::tile::rmpi
