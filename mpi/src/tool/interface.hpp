// SPDX-License-Identifier: Apache-2.0
// The common parts of the tool information interface [MPI-5.0 15.3]: initialisation by rank, output of
// strings, and validation of handles that are pointers.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "execution/rank_local.hpp"
#include "mpi.h"

namespace lisle::tool {

/// Objects of one kind that tools have handles of; one list for each rank. Thread-safe.
template <class T> class handle_list {
  public:
    /// Takes the object over. @return its handle
    T *add(std::unique_ptr<T> made) {
        const std::scoped_lock lock{mutex_};
        return list_.emplace_back(std::move(made)).get();
    }
    /// The object behind a handle. Throws `error` if there is none.
    T &find(const void *handle, int error) const {
        const std::scoped_lock lock{mutex_};
        for (const auto &each : list_) {
            if (each.get() == handle) {
                return *each;
            }
        }
        fail(error, "the handle was freed already or never was one");
    }
    /// Destroys the object.
    void remove(const T &target) {
        const std::scoped_lock lock{mutex_};
        std::erase_if(list_, [&target](const auto &each) { return each.get() == &target; });
    }
    /// Destroys those for which the condition holds.
    template <class Condition> void remove_if(Condition condition) {
        const std::scoped_lock lock{mutex_};
        std::erase_if(list_, [&condition](const auto &each) { return condition(*each); });
    }
    template <class Function> void each(Function function) const {
        const std::scoped_lock lock{mutex_};
        for (const auto &one : list_) {
            function(*one);
        }
    }

  private:
    mutable std::mutex mutex_; ///< protects list_
    std::vector<std::unique_ptr<T>> list_;
};

/// How often the rank has called MPI_T_init_thread without MPI_T_finalize.
struct use_count {
    std::atomic<int> value{0}; // only a count: orders nothing
};
inline const rank_local<use_count> uses;

/// Throws MPI_T_ERR_NOT_INITIALIZED.
inline void require_initialized() {
    if (uses->value.load(std::memory_order_relaxed) == 0) {
        fail(MPI_T_ERR_NOT_INITIALIZED, "called before MPI_T_init_thread or after MPI_T_finalize");
    }
}

/// The check of an index into a table.
inline void check_index(int index, std::size_t count) {
    if (index < 0 || static_cast<std::size_t>(index) >= count) {
        fail(MPI_T_ERR_INVALID_INDEX, "index ", index, " is outside the table, which has ", count, " rows");
    }
}

/// The check of an argument that has to point somewhere.
inline void check_wanted(const void *pointer, const char *argument) {
    if (pointer == nullptr) {
        fail(MPI_T_ERR_INVALID, argument, " is a null pointer");
    }
}

/// Where a value is wanted, stores it.
template <class T, class Value> void store(T *into, Value value) {
    if (into != nullptr) {
        *into = static_cast<T>(value);
    }
}

/// Returns a string as section 15.3.3 demands: as much as fits, and the length that would be enough.
inline void store_string(std::string_view text, char *into, int *length) {
    if (length == nullptr) {
        return;
    }
    if (into != nullptr && *length > 0) {
        into[text.copy(into, static_cast<std::size_t>(*length) - 1)] = '\0';
    }
    *length = static_cast<int>(text.size()) + 1;
}

/// The place of the row with this name. Throws MPI_T_ERR_INVALID_NAME.
template <class Table> int index_of(const Table &table, std::string_view name) {
    const auto found = std::find_if(std::begin(table), std::end(table),
                                    [name](const auto &row) { return row.name == name; });
    if (found == std::end(table)) {
        fail(MPI_T_ERR_INVALID_NAME, "nothing here is called \"", name, "\"");
    }
    return static_cast<int>(found - std::begin(table));
}

} // namespace lisle::tool
