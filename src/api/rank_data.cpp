// SPDX-License-Identifier: Apache-2.0
// MPIX_Rank_data: objects of libraries, one for each rank, found by the address of the function that makes
// them. They hang on MPI_COMM_SELF as one attribute, so MPI_Finalize destroys them while MPI still works;
// without MPI_Init the end of the last session does.
#include "api/rank_data.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "api/attribute.hpp"
#include "api/extension.hpp"
#include "base/error.hpp"
#include "communicator/attributes.hpp"
#include "communicator/predefined.hpp"
#include "execution/rank_local.hpp"

namespace lisle::api {

namespace {

struct entry {
    MPIX_Rank_data_function *create;
    MPIX_Destructor_function *destroy;
    void *data;
    entry *next;  ///< in its bucket
    entry *older; ///< of all
};

/// Any thread may look up at any time, without a lock.
class entry_table {
  public:
    [[nodiscard]] const entry *find(MPIX_Rank_data_function *create) const noexcept {
        // Acquire: pairs with the release in add(), so that an entry is seen whole.
        const entry *current = bucket(create).load(std::memory_order_acquire);
        while (current != nullptr && current->create != create) {
            current = current->next;
        }
        return current;
    }

    /// What another thread has added in the meantime, or the new entry.
    const entry *add(const entry &wanted) {
        const std::scoped_lock lock{mutex_};
        if (const entry *const present = find(wanted.create)) {
            return present;
        }
        std::atomic<entry *> &first = bucket(wanted.create);
        auto *const added = new entry{wanted};
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
        while (const entry *const removed = take_newest()) {
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
    [[nodiscard]] std::atomic<entry *> &bucket(MPIX_Rank_data_function *create) noexcept {
        return buckets_[index_of(create)];
    }
    [[nodiscard]] const std::atomic<entry *> &bucket(MPIX_Rank_data_function *create) const noexcept {
        return buckets_[index_of(create)];
    }

    entry *take_newest() {
        const std::scoped_lock lock{mutex_};
        entry *const taken = newest_;
        if (taken == nullptr) {
            begun_ = false;
        } else {
            newest_ = taken->older;
            bucket(taken->create)
                .store(taken->next, std::memory_order_release); // it is the latest there, too
        }
        return taken;
    }

    std::array<std::atomic<entry *>, std::size_t{1} << bits> buckets_{};
    std::mutex mutex_; // guards what follows, and adding
    entry *newest_ = nullptr;
    bool begun_ = false;
};
const rank_local<entry_table> entries;

/// The delete function of the attribute that the table is.
int clear(MPI_Comm, int, void *table, void *) {
    static_cast<entry_table *>(table)->clear();
    return MPI_SUCCESS;
}

void hang_on_self(entry_table &table) {
    int key = MPI_KEYVAL_INVALID;
    comm_create_keyval(nullptr, clear, &key, nullptr);
    comm_set_attr(*predefined->self, key, &table);
    comm_free_keyval(&key); // it lives on with the attribute
}

/// The end of the world model is the end of the table, if there is a world.
void hang_on_world(entry_table &table) {
    if (predefined->self != nullptr && table.begins()) {
        hang_on_self(table);
    }
}

/// Out of line, and without the table's lock while it makes the object: `create` may call MPI.
[[gnu::cold, gnu::noinline]] void make(entry_table &table, MPIX_Rank_data_function *create,
                                       MPIX_Destructor_function *destroy, void **data) {
    hang_on_world(table);
    void *const made = create();
    if (made == nullptr) {
        fail(MPI_ERR_NO_MEM, "the function that makes the rank's data returned a null pointer");
    }
    *data = table.add({create, destroy, made, nullptr, nullptr})->data;
    if (*data != made && destroy != nullptr) {
        destroy(made);
    }
}

} // namespace

void rank_data(MPIX_Rank_data_function *create, MPIX_Destructor_function *destroy, void *data) {
    entry_table &table = *entries;
    auto **const into = static_cast<void **>(data);
    if (const entry *const found = table.find(create)) [[likely]] {
        *into = found->data;
    } else {
        make(table, create, destroy, into);
    }
}

} // namespace lisle::api

namespace lisle {

void end_rank_data_of_session() {
    api::entry_table &table = *api::entries;
    if (this_rank().models_in_use.load(std::memory_order_relaxed) == 1) {
        table.clear();
    } else if (!table.empty()) {
        api::hang_on_world(table);
    }
}

} // namespace lisle
