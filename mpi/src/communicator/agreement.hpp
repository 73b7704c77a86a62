// SPDX-License-Identifier: Apache-2.0
// The collectives that the creation of communicators is made of, over any subset of a channel's ranks, in
// messages alone. What peers send is taken only if it has the expected size. A member that fails ends them at
// all others, whether they wait for that one or for one that does. A member that has no memory for what it is
// to pass on sends refusals instead, so no other waits for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "mpi.h"
#include "protocol/message/channel.hpp"
#include "protocol/message/request.hpp"

namespace lisle {

/// Sends and receives bytes with one peer; a size that differs from the expected one is an error.
void exchange_bytes(const protocol::channel &channel, int tag, int dest, std::span<const std::byte> sent,
                    int source, std::span<std::byte> received);

/// The same, where there is no room for what comes.
void exchange_without_room(const protocol::channel &channel, int tag, int dest,
                           std::span<const std::byte> sent, int source);

/// Throws unless a receive of ours has ended with a message of this size.
void check_received(const protocol::outcome &result, std::size_t expected);

/// Returns when all ranks of the channel have called it. Throws if one of them has failed. Needs no memory.
void meet_all(const protocol::channel &channel, int tag);

/// How a call ends that succeeds at all members or at none, and what they have agreed on.
struct shared_result {
    /// Stands for a member of the other group of an inter-communicator.
    static constexpr std::int32_t remote_member = -1;

    std::uint64_t value = 0; ///< the largest of all
    std::int32_t code = MPI_SUCCESS;
    std::int32_t by = 0; ///< the first member whose part has failed, if one has: with `code`

    /// Takes in another member's.
    void include(const shared_result &other) noexcept {
        value = std::max(value, other.value);
        if (other.code != MPI_SUCCESS && (code == MPI_SUCCESS || other.by < by)) {
            code = other.code;
            by = other.by;
        }
    }
};

/// Makes room in a list. @return false: there is no memory
template <class T> [[nodiscard]] bool make_room(std::vector<T> &list, std::size_t length) {
    try {
        list.resize(length);
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

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

    /// The ranks of the channel that are in `members`, which outlives this. @param self the calling rank's in
    /// it
    party(const protocol::channel &channel, int tag, const group &members, int self)
        : channel_{channel}, tag_{tag}, self_{self}, size_{members.size()}, members_{&members} {}

    [[nodiscard]] int self() const noexcept { return self_; }
    [[nodiscard]] int size() const noexcept { return size_; }

    /// Gives all members the root's data.
    template <class T> void broadcast(std::span<T> data, int root = 0) const {
        static_assert(std::is_trivially_copyable_v<T>);
        broadcast_bytes(std::as_writable_bytes(data), root, {data.size_bytes(), true});
    }
    template <class T> void broadcast(T &value, int root = 0) const {
        broadcast(std::span<T>{&value, 1}, root);
    }
    /// A list of the root's, of a length that all know. Throws at a member without memory for it, and at
    /// those that would have it from that one: not at all members, so these agree on their success next.
    template <class T> void broadcast_list(std::vector<T> &list, std::size_t length, int root = 0) const {
        const bool has_room = make_room(list, length);
        broadcast_bytes(std::as_writable_bytes(std::span<T>{list}), root, {length * sizeof(T), has_room});
    }
    /// The values of all members, by index. Throws at all members if one has no memory for them.
    template <class T> [[nodiscard]] std::vector<T> allgather(const T &value) const {
        static_assert(std::is_trivially_copyable_v<T>);
        std::vector<T> all;
        const bool has_room = make_room(all, static_cast<std::size_t>(size_));
        if (has_room) {
            all[0] = value;
        }
        allgather_bytes({{}, sizeof(T)}, std::as_writable_bytes(std::span<T>{all}), has_room);
        return all;
    }
    /// Returns when all have called it. Needs no memory.
    void meet() const;
    /// Members say how their parts went. Needs no memory, and returns when all have called it.
    void agree(shared_result &common) const;

    /// The lists of all members one after the other, in order of index. @param most a total length that
    /// the lists cannot exceed. Throws at all members if one has no memory for them.
    template <class T>
    [[nodiscard]] std::vector<T> allgather_lists(std::span<const T> own, std::size_t most) const {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto lengths = allgather(own.size());
        std::size_t total = 0;
        for (const std::size_t length : lengths) {
            check_length(length, most);
            check_length(total += length, most);
        }
        std::vector<T> all;
        const bool has_room = make_room(all, total);
        if (has_room) {
            std::copy(own.begin(), own.end(), all.begin());
        }
        allgather_bytes({lengths, sizeof(T)}, std::as_writable_bytes(std::span<T>{all}), has_room);
        return all;
    }

    /// Throws if a peer announces more than it can have.
    static void check_length(std::size_t length, std::size_t most);

  private:
    /// What a member has to take and pass on.
    struct room {
        std::size_t bytes;
        bool is_there; ///< false: there is no memory for it
    };
    /// The sizes of what the members give, by index.
    struct block_sizes {
        std::span<const std::size_t> lengths; ///< empty: all are 1
        std::size_t unit;
        /// Of `count` members from `first` on, around the ring.
        [[nodiscard]] std::size_t sum(int first, std::size_t count, int size) const noexcept;
    };
    /// Waits for what a member sends and frees the request. Throws if a member has failed meanwhile.
    protocol::outcome finish(protocol::request *receive) const;
    /// Begins to receive a member's data, or its refusal, into room for either.
    [[nodiscard]] protocol::request *begin_to_take(int index, std::span<std::byte> room) const;
    /// Whether what has come are data of the expected size. @return false: it is a refusal. Throws otherwise
    [[nodiscard]] static bool is_taken(const protocol::outcome &result, std::size_t expected);
    /// Takes what a member sends. Throws if it is of another size. @return false: it is a refusal
    [[nodiscard]] bool take(int index, std::span<std::byte> into) const;
    void drop(int index) const;
    void send(int index, std::span<const std::byte> data) const;
    /// Sends data to one member and takes those of another.
    protocol::outcome swap(int to, std::span<const std::byte> data, int from,
                           std::span<std::byte> room) const;
    [[nodiscard]] bool has_lost_one() const;
    void refuse_lost_one() const;
    void broadcast_bytes(std::span<std::byte> data, int root, const room &here) const;
    /// @param all room for them, if there is; the caller's own comes first, and they are put in order
    void allgather_bytes(const block_sizes &sizes, std::span<std::byte> all, bool has_room) const;
    [[nodiscard]] int rank_of(int index) const noexcept {
        if (members_ != nullptr) {
            return channel_.peers->rank_of(members_->member(index));
        }
        return ranks_.empty() ? index : ranks_[static_cast<std::size_t>(index)];
    }

    protocol::channel channel_;
    int tag_;
    int self_;
    int size_;
    std::vector<int> ranks_;         ///< empty: indices are ranks, unless there are
    const group *members_ = nullptr; ///< those that take part, by index
};

} // namespace lisle
