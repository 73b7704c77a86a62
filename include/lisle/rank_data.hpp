// SPDX-License-Identifier: Apache-2.0
// What the headers keep for each rank: datatypes and operations made once, found again by a key. Several
// ranks may live in one process and share these headers' code, so nothing of it may be a static variable; it
// hangs on MPI_COMM_SELF and is freed by MPI_Finalize.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "lisle/config.hpp"
#include "lisle/error.hpp"

namespace lisle::detail {

/// Handles as the table's values. They are pointers in MPI's standard ABI, numbers in other ones.
template <class Handle> void *value_of(Handle handle) noexcept {
    if constexpr (std::is_pointer_v<Handle>)
        return handle;
    else
        return reinterpret_cast<void *>(static_cast<std::intptr_t>(handle));
}
template <class Handle> Handle handle_of(void *value) noexcept {
    if constexpr (std::is_pointer_v<Handle>)
        return static_cast<Handle>(value);
    else
        return static_cast<Handle>(reinterpret_cast<std::intptr_t>(value));
}

/// A table that only grows. Any thread may look up and insert at any time; looking up takes no lock.
class rank_data {
  public:
    using destroy_function = void (*)(void *value);

    rank_data() = default;
    rank_data(const rank_data &) = delete;
    rank_data &operator=(const rank_data &) = delete;
    ~rank_data() {
        // What was made later may be made of what was made before: free in the opposite order.
        for (const entry *current = newest_.load(std::memory_order_acquire); current != nullptr;) {
            const entry *const doomed = std::exchange(current, current->older);
            doomed->destroy(doomed->value);
            delete doomed;
        }
    }

    /// The value under `key`, or null.
    [[nodiscard]] void *find(const void *key) const noexcept {
        // Acquire: pairs with the release in insert(), so that the entry is seen whole.
        const entry *current = buckets_[bucket(key)].load(std::memory_order_acquire);
        while (current != nullptr && current->key != key)
            current = current->next;
        return current != nullptr ? current->value : nullptr;
    }

    /// Puts a value in; if another thread was faster, destroys it and returns that thread's.
    void *insert(const void *key, void *value, destroy_function destroy) {
        auto *const made = new entry{key, value, destroy, nullptr, nullptr};
        std::atomic<const entry *> &head = buckets_[bucket(key)];
        made->next = head.load(std::memory_order_acquire);
        do {
            for (const entry *current = made->next; current != nullptr; current = current->next)
                if (current->key == key) {
                    delete made;
                    destroy(value);
                    return current->value;
                }
            // Release: whoever finds the entry sees what it points to.
        } while (!head.compare_exchange_weak(made->next, made, std::memory_order_release,
                                             std::memory_order_acquire));
        made->older = newest_.load(std::memory_order_relaxed);
        while (!newest_.compare_exchange_weak(made->older, made, std::memory_order_release,
                                              std::memory_order_relaxed)) {
        }
        return value;
    }

    /// That of the calling rank. @pre between MPI_Init and MPI_Finalize
    static rank_data &current();

  private:
    struct entry {
        const void *key;
        void *value;
        destroy_function destroy;
        const entry *next;  ///< in the bucket
        const entry *older; ///< of all
    };
    static std::size_t bucket(const void *key) noexcept {
        return (reinterpret_cast<std::uintptr_t>(key) * 0x9e3779b97f4a7c15u) >> 58;
    }

    std::array<std::atomic<const entry *>, 64> buckets_{};
    std::atomic<const entry *> newest_{nullptr};
};

#if LISLE_USE_EXTENSIONS

inline rank_data &rank_data::current() {
    void *data = nullptr;
    check(MPIX_Rank_data([]() -> void * { return new rank_data; },
                         [](void *value) { delete static_cast<rank_data *>(value); }, &data),
          "MPIX_Rank_data");
    return *static_cast<rank_data *>(data);
}

#else

inline int create_rank_data_key() {
    int key = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(
              MPI_COMM_NULL_COPY_FN,
              [](MPI_Comm, int, void *value, void *) -> int {
                  delete static_cast<rank_data *>(value);
                  return MPI_SUCCESS;
              },
              &key, nullptr),
          "MPI_Comm_create_keyval");
    return key;
}

inline rank_data &rank_data::current() {
    // Other libraries' ranks are processes: a constant of the process is one of the rank.
    static const int key = create_rank_data_key();
    void *data = nullptr;
    int found = 0;
    check(MPI_Comm_get_attr(MPI_COMM_SELF, key, &data, &found), "MPI_Comm_get_attr");
    if (found == 0) {
        static const bool set = [] {
            return MPI_Comm_set_attr(MPI_COMM_SELF, key, new rank_data) == MPI_SUCCESS;
        }();
        static_cast<void>(set);
        check(MPI_Comm_get_attr(MPI_COMM_SELF, key, &data, &found), "MPI_Comm_get_attr");
    }
    return *static_cast<rank_data *>(data);
}

#endif

} // namespace lisle::detail
