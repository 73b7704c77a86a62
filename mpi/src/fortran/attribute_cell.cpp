// SPDX-License-Identifier: Apache-2.0
#include "fortran/attribute_cell.hpp"

#include <cstdlib>
#include <new>
#include <pthread.h>

namespace lisle::fortran {

namespace {

struct cell {
    MPI_Aint value; // C has its address
    cell *next;
};

/// All of them: attributes are few. A mutex of the system, since C++'s may throw.
cell *cells = nullptr;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

class lock {
  public:
    lock() noexcept { pthread_mutex_lock(&mutex); }
    lock(const lock &) = delete;
    lock &operator=(const lock &) = delete;
    ~lock() { pthread_mutex_unlock(&mutex); }
};

/// The link to a cell; null if the pointer is to none.
cell **find_locked(const void *attribute) noexcept {
    for (cell **link = &cells; *link != nullptr; link = &(*link)->next) {
        if (*link == attribute) {
            return link;
        }
    }
    return nullptr;
}

} // namespace

void *new_cell(MPI_Aint value) noexcept {
    void *const memory = std::malloc(sizeof(cell));
    if (memory == nullptr) {
        return nullptr;
    }
    const lock held;
    cells = new (memory) cell{value, cells};
    return cells;
}

MPI_Aint value_of(void *attribute) noexcept {
    const lock held;
    cell **const link = find_locked(attribute);
    return link != nullptr ? (*link)->value : reinterpret_cast<MPI_Aint>(attribute);
}

void free_cell(void *attribute) noexcept {
    const lock held;
    if (cell **const link = find_locked(attribute)) {
        cell *const freed = *link;
        *link = freed->next;
        std::free(freed);
    }
}

} // namespace lisle::fortran
