// SPDX-License-Identifier: Apache-2.0
// MPIX_Rank_data: how a rank's objects are found, which the entry point does itself if there is one (as
// fast_path.hpp, and for its reasons: the C++ interface asks before each reduction with a callable of its
// own, which takes little longer than the question once did). That the rank is in MPI is not asked: only then
// it has objects.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "execution/rank_local.hpp"
#include "mpix.h"

namespace lisle::api {

[[nodiscard]] inline bool try_rank_data(MPIX_Rank_data_function *create, MPIX_Destructor_function *destroy,
                                        void *data) noexcept;

/// What was made for a rank, and how.
struct rank_data_entry {
    MPIX_Rank_data_function *create;
    MPIX_Destructor_function *destroy;
    void *data;
    rank_data_entry *next;  ///< in its bucket
    rank_data_entry *older; ///< of all
};

/// All of a rank's. Any thread may look up at any time, without a lock.
class rank_data_table {
  public:
    [[nodiscard]] const rank_data_entry *find(MPIX_Rank_data_function *create) const noexcept {
        // Acquire: pairs with the release in add(), so that an entry is seen whole.
        const rank_data_entry *current = bucket(create).load(std::memory_order_acquire);
        while (current != nullptr && current->create != create) {
            current = current->next;
        }
        return current;
    }

    /// What another thread has added in the meantime, or the new entry.
    const rank_data_entry *add(const rank_data_entry &wanted) {
        const std::scoped_lock lock{mutex_};
        if (const rank_data_entry *const present = find(wanted.create)) {
            return present;
        }
        std::atomic<rank_data_entry *> &first = bucket(wanted.create);
        auto *const added = new rank_data_entry{wanted};
        added->next = first.load(std::memory_order_relaxed);
        added->older = newest_;
        newest_ = added;
        first.store(added, std::memory_order_release);
        return added;
    }

    /// True once for each time that the table becomes one of something.
    [[nodiscard]] bool begins() {
        const std::scoped_lock lock{mutex_};
        return !std::exchange(begun_, true);
    }

    [[nodiscard]] bool empty() {
        const std::scoped_lock lock{mutex_};
        return newest_ == nullptr;
    }
    /// Destroys everything: what was made later may be made of what was made before, so the latest goes
    /// first.
    void clear() {
        while (const rank_data_entry *const removed = take_newest()) {
            if (removed->destroy != nullptr) {
                removed->destroy(removed->data);
            }
            delete removed;
        }
    }

  private:
    static constexpr unsigned bits = 5;

    [[nodiscard]] static std::size_t index_of(MPIX_Rank_data_function *create) noexcept {
        return (reinterpret_cast<std::uintptr_t>(create) * 0x9e3779b97f4a7c15U) >> (64 - bits);
    }
    [[nodiscard]] std::atomic<rank_data_entry *> &bucket(MPIX_Rank_data_function *create) noexcept {
        return buckets_[index_of(create)];
    }
    [[nodiscard]] const std::atomic<rank_data_entry *> &
    bucket(MPIX_Rank_data_function *create) const noexcept {
        return buckets_[index_of(create)];
    }

    rank_data_entry *take_newest() {
        const std::scoped_lock lock{mutex_};
        rank_data_entry *const taken = newest_;
        if (taken == nullptr) {
            begun_ = false;
        } else {
            newest_ = taken->older;
            bucket(taken->create)
                .store(taken->next, std::memory_order_release); // it is the latest there, too
        }
        return taken;
    }

    std::array<std::atomic<rank_data_entry *>, std::size_t{1} << bits> buckets_{};
    std::mutex mutex_; // guards what follows, and adding
    rank_data_entry *newest_ = nullptr;
    bool begun_ = false;
};
inline const rank_local<rank_data_table> rank_data_tables;

[[gnu::always_inline]] inline bool try_rank_data(MPIX_Rank_data_function *create, MPIX_Destructor_function *,
                                                 void *data) noexcept {
    rank *const self = rank_at_once();
    const rank_data_entry *const found = self != nullptr ? rank_data_tables.of(*self).find(create) : nullptr;
    if (found == nullptr || data == nullptr) {
        return false;
    }
    *static_cast<void **>(data) = found->data;
    return true;
}

} // namespace lisle::api
