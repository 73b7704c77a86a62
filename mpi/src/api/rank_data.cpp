// SPDX-License-Identifier: Apache-2.0
// MPIX_Rank_data: objects of libraries, one for each rank, found by the address of the function that makes
// them. They hang on MPI_COMM_SELF as one attribute, so MPI_Finalize destroys them while MPI still works;
// without MPI_Init the end of the last session does.
#include "api/rank_data.hpp"

#include <atomic>

#include "api/attribute.hpp"
#include "api/extension.hpp"
#include "api/rank_data_table.hpp"
#include "base/error.hpp"
#include "communicator/attributes.hpp"
#include "communicator/predefined.hpp"

namespace lisle::api {

namespace {

/// The delete function of the attribute that the table is.
int clear(MPI_Comm, int, void *table, void *) {
    static_cast<rank_data_table *>(table)->clear();
    return MPI_SUCCESS;
}

void hang_on_self(rank_data_table &table) {
    int key = MPI_KEYVAL_INVALID;
    comm_create_keyval(nullptr, clear, &key, nullptr);
    comm_set_attr(*predefined->self, key, &table);
    comm_free_keyval(&key); // it lives on with the attribute
}

/// The end of the world model is the end of the table, if there is a world.
void hang_on_world(rank_data_table &table) {
    if (predefined->self != nullptr && table.begins()) {
        hang_on_self(table);
    }
}

/// Out of line, and without the table's lock while it makes the object: `create` may call MPI.
[[gnu::cold, gnu::noinline]] void make(rank_data_table &table, MPIX_Rank_data_function *create,
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
    rank_data_table &table = *rank_data_tables;
    auto **const into = static_cast<void **>(data);
    if (const rank_data_entry *const found = table.find(create)) [[likely]] {
        *into = found->data;
    } else {
        make(table, create, destroy, into);
    }
}

} // namespace lisle::api

namespace lisle {

void end_rank_data_of_session() {
    api::rank_data_table &table = *api::rank_data_tables;
    if (this_rank().models_in_use.load(std::memory_order_relaxed) == 1) {
        table.clear();
    } else if (!table.empty()) {
        api::hang_on_world(table);
    }
}

} // namespace lisle
