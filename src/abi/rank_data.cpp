// SPDX-License-Identifier: Apache-2.0
// MPIX_Rank_data: objects of libraries, one for each rank, found by the address of the function that makes
// them. They hang on MPI_COMM_SELF as attributes, so MPI_Finalize destroys them while MPI still works.
#include <atomic>
#include <mutex>

#include "abi/attribute.hpp"
#include "abi/extension.hpp"
#include "communicator/attributes.hpp"
#include "communicator/predefined.hpp"
#include "runtime/error.hpp"
#include "runtime/rank_local.hpp"

namespace lisle::api {

namespace {

struct entry {
    MPIX_Rank_data_function *create;
    MPIX_Destructor_function *destroy;
    void *data;
    entry *next;
};

struct entry_list {
    std::atomic<entry *> first{nullptr};
    std::mutex mutex; ///< makes and removes entries; held while `create` runs, which calls nothing of MPI
};
const rank_local<entry_list> entries;

entry *find(MPIX_Rank_data_function *create) {
    // Acquire: pairs with the release store below, so that an entry is seen whole.
    entry *current = entries->first.load(std::memory_order_acquire);
    while (current != nullptr && current->create != create) {
        current = current->next;
    }
    return current;
}

/// The delete function of the attribute whose value an entry is: the latest entry goes first.
int remove(MPI_Comm, int, void *value, void *) {
    auto *const removed = static_cast<entry *>(value);
    {
        const std::scoped_lock lock{entries->mutex};
        entries->first.store(removed->next, std::memory_order_release);
    }
    if (removed->destroy != nullptr) {
        removed->destroy(removed->data);
    }
    delete removed;
    return MPI_SUCCESS;
}

} // namespace

void rank_data(MPIX_Rank_data_function *create, MPIX_Destructor_function *destroy, void *data) {
    entry *found = find(create);
    if (found == nullptr) [[unlikely]] {
        const std::scoped_lock lock{entries->mutex};
        found = find(create);
        if (found == nullptr) {
            void *const made = create();
            if (made == nullptr) {
                fail(MPI_ERR_NO_MEM, "the function that makes the rank's data returned a null pointer");
            }
            found = new entry{create, destroy, made, entries->first.load(std::memory_order_relaxed)};
            int key = MPI_KEYVAL_INVALID;
            comm_create_keyval(nullptr, remove, &key, nullptr);
            comm_set_attr(*predefined->self, key, found);
            comm_free_keyval(&key); // it lives on with the attribute
            entries->first.store(found, std::memory_order_release);
        }
    }
    *static_cast<void **>(data) = found->data;
}

} // namespace lisle::api
