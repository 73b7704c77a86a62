// SPDX-License-Identifier: Apache-2.0
// What MPIX_Rank_data does, for libraries that do not have it: their ranks are processes, and a constant of
// the process is one of the rank.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "lisle/detail/config.hpp"
#include "lisle/detail/error.hpp"

namespace lisle::detail {

/// A table that only grows. Any thread may look up and insert at any time; looking up takes no lock.
class rank_table {
  public:
    using create_function = void *(*)();
    using destroy_function = void (*)(void *made);

    rank_table() = default;
    rank_table(const rank_table &) = delete;
    rank_table &operator=(const rank_table &) = delete;
    ~rank_table() {
        // What was made later may be made of what was made before: free in the opposite order.
        for (const entry *current = newest_.load(std::memory_order_acquire); current != nullptr;) {
            const entry *const doomed = std::exchange(current, current->older);
            doomed->destroy(doomed->made);
            delete doomed;
        }
    }

    /// What `create` made, at the first time.
    void *get(create_function create, destroy_function destroy) {
        std::atomic<const entry *> &head = buckets_[bucket(create)];
        // Acquire: pairs with the release in insert(), so that the entry is seen whole.
        const entry *const first = head.load(std::memory_order_acquire);
        const entry *const found = find(first, create);
        return found != nullptr ? found->made : insert(head, create, destroy);
    }

    static rank_table &current();

  private:
    /// For a process that uses sessions alone. Never destroyed: MPI has no notice of the end of the last
    /// session.
    static rank_table &without_world() {
        static auto *const table = new rank_table;
        return *table;
    }
    struct entry {
        create_function create;
        destroy_function destroy;
        void *made;
        const entry *next;  ///< in the bucket
        const entry *older; ///< of all
    };
    static std::size_t bucket(create_function create) noexcept {
        return (reinterpret_cast<std::uintptr_t>(create) * 0x9e3779b97f4a7c15u) >> 58;
    }
    static const entry *find(const entry *current, create_function create) noexcept {
        while (current != nullptr && current->create != create)
            current = current->next;
        return current;
    }

    void *insert(std::atomic<const entry *> &head, create_function create, destroy_function destroy) {
        auto *const added = new entry{create, destroy, create(), nullptr, nullptr};
        added->next = head.load(std::memory_order_acquire);
        do {
            if (const entry *const present = find(added->next, create)) { // another thread was faster
                destroy(added->made);
                delete added;
                return present->made;
            }
            // Release: a thread that finds the entry sees what it points to.
        } while (!head.compare_exchange_weak(added->next, added, std::memory_order_release,
                                             std::memory_order_acquire));
        added->older = newest_.load(std::memory_order_relaxed);
        while (!newest_.compare_exchange_weak(added->older, added, std::memory_order_release,
                                              std::memory_order_relaxed)) {
        }
        return added->made;
    }

    static int create_key() {
        int key = MPI_KEYVAL_INVALID;
        check(MPI_Comm_create_keyval(
                  MPI_COMM_NULL_COPY_FN,
                  [](MPI_Comm, int, void *value, void *) -> int {
                      delete static_cast<rank_table *>(value);
                      return MPI_SUCCESS;
                  },
                  &key, nullptr),
              "MPI_Comm_create_keyval");
        return key;
    }

    std::array<std::atomic<const entry *>, 64> buckets_{};
    std::atomic<const entry *> newest_{nullptr};
};

inline rank_table &rank_table::current() {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized == 0)
        return without_world();
    static const int key = create_key();
    void *table = nullptr;
    int found = 0;
    check(MPI_Comm_get_attr(MPI_COMM_SELF, key, &table, &found), "MPI_Comm_get_attr");
    if (found == 0) {
        static const bool set = [] {
            return MPI_Comm_set_attr(MPI_COMM_SELF, key, new rank_table) == MPI_SUCCESS;
        }();
        static_cast<void>(set);
        check(MPI_Comm_get_attr(MPI_COMM_SELF, key, &table, &found), "MPI_Comm_get_attr");
    }
    return *static_cast<rank_table *>(table);
}

} // namespace lisle::detail
