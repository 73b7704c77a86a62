// SPDX-License-Identifier: Apache-2.0
// Integers for handles, as Fortran needs them (MPI_Comm_toint and its kin). Constants are their own
// integers; other objects get one from a table of the process when they are first asked for theirs, keep it
// while they are used again, and give it back when they end.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/object.hpp"

namespace lisle {

/// Objects have their integers at least from this on, below 2^27.
inline constexpr int first_integer = static_cast<int>(first_dynamic_handle);

/// The object's integer; the same each time. Any thread may ask. Throws MPI_ERR_INTERN if there are no more
/// integers.
[[nodiscard]] int integer_of(object &target);
/// The object with this integer, or null.
[[nodiscard]] object *object_with_integer(int integer) noexcept;

/// A place of the table.
struct integer_slot {
    object *target; ///< read without the lock, written under it
    std::size_t next_free;
};

/// The places for `first_integer` and those after it.
struct integer_slots {
    std::atomic<integer_slot *> first{nullptr}; ///< relaxed: ordered by `size`, and never changed
    /// Release when a place has been added, acquire where it is read: a reader of the size sees the places.
    std::atomic<std::size_t> size{0};

    [[nodiscard]] object *find(int integer) const noexcept {
        const auto index = static_cast<std::size_t>(integer) - static_cast<std::size_t>(first_integer);
        if (index >= size.load(std::memory_order_acquire)) {
            return nullptr;
        }
        // Acquire: pairs with the release store of the object, so that it is seen whole.
        return std::atomic_ref{first.load(std::memory_order_relaxed)[index].target}.load(
            std::memory_order_acquire);
    }
};

/// What every object begins with, for readers that want an integer without a call.
struct object_beginning {
    object_kind kind;
    int integer; ///< 0: none yet
};

} // namespace lisle

/// The table, for libraries that were built together with this one and whose own handles are integers
/// (abi/integers.hpp).
extern "C" [[gnu::visibility("default")]] lisle::integer_slots lisle_integer_slots;
