// SPDX-License-Identifier: Apache-2.0
// An ordered set of ranks of the job. Immutable and shared by reference count, so communicators, the
// user's handles and several ranks of a process may hold one. Members that follow each other at one
// distance (the world, halves of it, every second rank) are kept as three numbers; other groups as a
// list, which equal groups of one process share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/object.hpp"
#include "base/ref.hpp"
#include "mpi.h"

namespace lisle {

class group;
using group_ref = ref<const group>;

/// See the file's head. Any number of threads may use one.
class group : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::group;

    /// @param members numbers in the job (rank::number), in the group's order, without repetition
    explicit group(std::vector<int> members);
    /// The members first, first + stride, ... @param stride not 0
    group(int first, int count, int stride) noexcept
        : object{object_kind::group}, size_{count}, first_{first}, stride_{stride} {}

    [[nodiscard]] int size() const noexcept { return size_; }
    /// The job's number of the member with this rank. @pre 0 <= rank < size()
    [[nodiscard]] int member(int rank) const noexcept {
        return stride_ != 0 ? first_ + rank * stride_ : list_[static_cast<std::size_t>(rank)];
    }
    /// The distance from each member to the next one; 0: there is no common one.
    [[nodiscard]] int stride() const noexcept { return stride_; }
    /// The greatest of the members' numbers; -1: there are none.
    [[nodiscard]] int highest() const noexcept {
        return stride_ == 0 ? highest_ : size_ == 0 ? -1 : std::max(first_, member(size_ - 1));
    }
    /// The rank in this group of a rank of the job, or MPI_UNDEFINED. Takes O(log size()) at most.
    [[nodiscard]] int rank_of(int number) const noexcept;
    [[nodiscard]] bool contains(int number) const noexcept { return rank_of(number) != MPI_UNDEFINED; }
    /// All members in order.
    [[nodiscard]] std::vector<int> members() const;
    /// True if both have the same members in the same order.
    [[nodiscard]] bool same_as(const group &other) const noexcept;

    /// The session that the group comes from (session.hpp), 0: none.
    [[nodiscard]] std::uint64_t session() const noexcept { return session_; }

    /// Shared ownership; the last release destroys.
    void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() const noexcept;

    /// The user's handles are counted apart from the shares, so that a handle that was freed is noticed
    /// even though a communicator still holds the group.
    void add_handle() const noexcept { handles_.fetch_add(1, std::memory_order_relaxed); }
    /// False, and nothing changes, if there is no handle left to drop.
    [[nodiscard]] bool drop_handle() const noexcept;
    [[nodiscard]] bool has_handle() const noexcept { return handles_.load(std::memory_order_relaxed) > 0; }

  private:
    friend class group_pool;
    friend group_ref with_session(group_ref members, std::uint64_t session);
    ~group() = default;
    void build_index() const;
    /// Takes a share unless the last one is already gone.
    [[nodiscard]] bool try_retain() const noexcept;

    int size_;
    int first_ = 0;
    int stride_ = 0;  ///< 0: the members are in `list_`
    int highest_ = 0; ///< of the list
    bool pooled_ = false;
    std::uint64_t session_ = 0; ///< never changes once others know the group
    std::vector<int> list_;
    /// (number, rank) sorted by number; made by the first query that needs it.
    mutable std::vector<std::pair<int, int>> index_;
    mutable std::once_flag index_built_;
    // Orders nothing while counting up; the last decrement acquires what all others released.
    mutable std::atomic<int> references_{1};
    // Only a count: the shares order the object's destruction.
    mutable std::atomic<int> handles_{0};
};

/// The group with these members, shared with equal groups of this process.
[[nodiscard]] group_ref make_group(std::vector<int> members);
/// A group with these members that comes from this session: another object unless that is so already.
[[nodiscard]] group_ref with_session(group_ref members, std::uint64_t session);
/// The group without members, which lives as long as the process.
[[nodiscard]] const group &empty_group() noexcept;

} // namespace lisle
