// SPDX-License-Identifier: Apache-2.0
// Groups: how members are kept, found and shared. The pool of lists is the only state that the ranks of
// a process have in common here; it holds no shares, so a group leaves it with its last owner.
#include "world/group.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>

namespace lisle {

namespace {

/// Below this many members a linear search is faster than an index. Any value near one or two cache lines of
/// members will do.
constexpr int smallest_indexed_size = 32;

/// The common distance of the members, or 0 if there is none.
int distance_of(std::span<const int> members) noexcept {
    if (members.size() < 2) {
        return 1;
    }
    const int distance = members[1] - members[0];
    for (std::size_t i = 2; i < members.size(); ++i) {
        if (members[i] - members[i - 1] != distance) {
            return 0;
        }
    }
    return distance;
}

std::uint64_t hash_of(std::span<const int> members) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const int member : members) {
        hash = (hash ^ static_cast<std::uint32_t>(member)) * 0x100000001b3U;
    }
    return hash;
}

} // namespace

group::group(std::vector<int> members)
    : object{object_kind::group}, size_{static_cast<int>(members.size())},
      first_{members.empty() ? 0 : members.front()}, stride_{distance_of(members)} {
    if (stride_ == 0) {
        list_ = std::move(members);
        highest_ = *std::max_element(list_.begin(), list_.end());
    }
}

void group::build_index() const {
    index_.reserve(list_.size());
    for (std::size_t rank = 0; rank < list_.size(); ++rank) {
        index_.emplace_back(list_[rank], static_cast<int>(rank));
    }
    std::sort(index_.begin(), index_.end());
}

int group::rank_of(int number) const noexcept {
    if (stride_ != 0) {
        const int offset = number - first_;
        const int rank = offset / stride_;
        return offset % stride_ == 0 && rank >= 0 && rank < size_ ? rank : MPI_UNDEFINED;
    }
    if (size_ < smallest_indexed_size) {
        const auto found = std::find(list_.begin(), list_.end(), number);
        return found != list_.end() ? static_cast<int>(found - list_.begin()) : MPI_UNDEFINED;
    }
    std::call_once(index_built_, [this] { build_index(); });
    const auto found = std::lower_bound(index_.begin(), index_.end(), std::pair{number, 0});
    return found != index_.end() && found->first == number ? found->second : MPI_UNDEFINED;
}

std::vector<int> group::members() const {
    if (stride_ == 0) {
        return list_;
    }
    std::vector<int> all(static_cast<std::size_t>(size_));
    for (int rank = 0; rank < size_; ++rank) {
        all[static_cast<std::size_t>(rank)] = member(rank);
    }
    return all;
}

bool group::same_as(const group &other) const noexcept {
    if (this == &other) {
        return true;
    }
    if (size_ != other.size_) {
        return false;
    }
    if (stride_ != 0 && other.stride_ != 0) {
        return size_ == 0 || (first_ == other.first_ && (size_ == 1 || stride_ == other.stride_));
    }
    return stride_ == other.stride_ && list_ == other.list_;
}

bool group::try_retain() const noexcept {
    int count = references_.load(std::memory_order_relaxed);
    while (count > 0) {
        if (references_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

bool group::drop_handle() const noexcept {
    int count = handles_.load(std::memory_order_relaxed);
    while (count > 0) {
        if (handles_.compare_exchange_weak(count, count - 1, std::memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

/// The lists of this process by the hash of their members.
class group_pool {
  public:
    group_ref find_or_add(std::vector<int> members) {
        const std::uint64_t hash = hash_of(members);
        const std::scoped_lock lock{mutex_};
        const auto [begin, end] = groups_.equal_range(hash);
        for (auto candidate = begin; candidate != end; ++candidate) {
            // A group without shares is about to remove itself, so it cannot be shared again.
            if (candidate->second->list_ == members && candidate->second->try_retain()) {
                return group_ref::adopt(candidate->second);
            }
        }
        auto *added = new group{std::move(members)};
        added->pooled_ = true;
        groups_.emplace(hash, added);
        return group_ref::adopt(added);
    }

    void remove(const group &target) noexcept {
        const std::scoped_lock lock{mutex_};
        const auto [begin, end] = groups_.equal_range(hash_of(target.list_));
        groups_.erase(std::find_if(begin, end, [&](const auto &entry) { return entry.second == &target; }));
    }

    static group_pool &instance() {
        // Never destroyed: ranks may end while the process's static objects are taken down.
        static group_pool &pool = *new group_pool;
        return pool;
    }

  private:
    std::mutex mutex_; ///< protects groups_
    std::unordered_multimap<std::uint64_t, const group *> groups_;
};

void group::release() const noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) {
        return;
    }
    if (pooled_) {
        group_pool::instance().remove(*this);
    }
    delete this;
}

group_ref make_group(std::vector<int> members) {
    if (distance_of(members) != 0) {
        return group_ref::adopt(new group{std::move(members)});
    }
    return group_pool::instance().find_or_add(std::move(members));
}

group_ref with_session(group_ref members, std::uint64_t session) {
    if (members->session() == session || members->size() == 0) {
        return members;
    }
    auto *const copy = new group{members->members()};
    copy->session_ = session;
    return group_ref::adopt(copy);
}

const group &empty_group() noexcept {
    static const group &empty = *new group{0, 0, 1};
    return empty;
}

} // namespace lisle
