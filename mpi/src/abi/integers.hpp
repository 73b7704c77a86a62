// SPDX-License-Identifier: Apache-2.0
// The integers of objects (base/handle_integers.hpp) for libraries that were built together with this one and
// whose own handles are integers.
#pragma once

#include <atomic>

#include "base/handle_integers.hpp"

/// @return 0 if there are no more integers
extern "C" [[gnu::visibility("default")]] int lisle_integer_of(lisle::object *target) noexcept;

namespace lisle::abi {

/// The integer of the object that a handle of the standard's binary interface points to.
[[nodiscard]] inline int integer_at(void *handle) noexcept {
    auto &beginning = *static_cast<object_beginning *>(handle);
    // Acquire: pairs with the release store of the integer, so that with the integer the object is found.
    const int known = std::atomic_ref{beginning.integer}.load(std::memory_order_acquire);
    return known != 0 ? known : lisle_integer_of(static_cast<object *>(handle));
}

/// The object with this integer, whatever its kind, or null.
[[nodiscard]] inline void *object_at(int integer) noexcept {
    return lisle_integer_slots.find(integer);
}

} // namespace lisle::abi
