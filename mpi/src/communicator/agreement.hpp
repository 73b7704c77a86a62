// SPDX-License-Identifier: Apache-2.0
// The collectives that the creation of communicators is made of, over any subset of a channel's ranks, in
// messages alone. What peers send is taken only if it has the expected size. A member that fails ends them at
// all others, whether they wait for that one or for one that does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "protocol/message/channel.hpp"
#include "protocol/message/request.hpp"

namespace lisle {

/// Sends and receives bytes with one peer; a size that differs from the expected one is an error.
void exchange_bytes(const protocol::channel &channel, int tag, int dest, std::span<const std::byte> sent,
                    int source, std::span<std::byte> received);

/// Throws unless a receive of ours has ended with a message of this size.
void check_received(const protocol::outcome &result, std::size_t expected);

/// Returns when all ranks of the channel have called it. Throws if one of them has failed.
void meet_all(const protocol::channel &channel, int tag);

/// Some ranks that agree on something, each of which has an index among them.
class party {
  public:
    /// All ranks of the channel's group. @pre the calling rank is one of them, with rank channel.self
    party(const protocol::channel &channel, int tag)
        : channel_{channel}, tag_{tag}, self_{channel.self}, size_{channel.peers->size()} {}
    /// The ranks of the channel that `ranks` lists. @param self the calling rank's index in the list
    party(const protocol::channel &channel, int tag, std::vector<int> ranks, int self)
        : channel_{channel}, tag_{tag}, self_{self}, size_{static_cast<int>(ranks.size())}, ranks_{std::move(
                                                                                                ranks)} {}

    [[nodiscard]] int self() const noexcept { return self_; }
    [[nodiscard]] int size() const noexcept { return size_; }

    /// Gives all members the root's data.
    template <class T> void broadcast(std::span<T> data, int root = 0) const {
        static_assert(std::is_trivially_copyable_v<T>);
        broadcast_bytes(std::as_writable_bytes(data), root);
    }
    template <class T> void broadcast(T &value, int root = 0) const {
        broadcast(std::span<T>{&value, 1}, root);
    }
    /// A list whose length only the root knows. @param most a length that it cannot exceed
    template <class T> void broadcast_list(std::vector<T> &list, std::size_t most, int root = 0) const {
        std::size_t length = list.size();
        broadcast(length, root);
        check_length(length, most);
        list.resize(length);
        broadcast(std::span<T>{list}, root);
    }
    /// The values of all members, by index.
    template <class T> [[nodiscard]] std::vector<T> allgather(const T &value) const {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto size = static_cast<std::size_t>(size_);
        std::vector<T> all(size);
        all[0] = value;
        allgather_bytes(std::vector<std::size_t>(size, sizeof(T)), std::as_writable_bytes(std::span<T>{all}));
        return all;
    }

    /// The lists of all members one after the other, in order of index. @param most a total length that
    /// the lists cannot exceed
    template <class T>
    [[nodiscard]] std::vector<T> allgather_lists(std::span<const T> own, std::size_t most) const {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto lengths = allgather(own.size());
        std::size_t total = 0;
        for (const std::size_t length : lengths) {
            check_length(length, most);
            check_length(total += length, most);
        }
        std::vector<T> all(total);
        std::vector<std::size_t> bytes(lengths.size());
        std::transform(lengths.begin(), lengths.end(), bytes.begin(),
                       [](std::size_t length) { return length * sizeof(T); });
        std::copy(own.begin(), own.end(), all.begin());
        allgather_bytes(bytes, std::as_writable_bytes(std::span<T>{all}));
        return all;
    }

    /// Throws if a peer announces more than it can have.
    static void check_length(std::size_t length, std::size_t most);

  private:
    /// Waits for what a member sends, frees the request, and throws if it is not of this size. Throws too if
    /// a member has failed meanwhile.
    void finish(protocol::request *receive, std::size_t expected) const;
    [[nodiscard]] bool has_lost_one() const;
    void refuse_lost_one() const;
    void broadcast_bytes(std::span<std::byte> data, int root) const;
    /// @param sizes of all values, by index
    /// @param all room for them; the caller's own comes first, and they are put in order
    void allgather_bytes(std::span<const std::size_t> sizes, std::span<std::byte> all) const;
    [[nodiscard]] int rank_of(int index) const noexcept {
        return ranks_.empty() ? index : ranks_[static_cast<std::size_t>(index)];
    }

    protocol::channel channel_;
    int tag_;
    int self_;
    int size_;
    std::vector<int> ranks_; ///< empty: indices are ranks
};

} // namespace lisle
