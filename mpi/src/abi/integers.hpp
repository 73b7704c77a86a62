// SPDX-License-Identifier: Apache-2.0
// The integers of objects (base/handle_integers.hpp) for libraries that were built together with this one and
// whose own handles are integers.
#pragma once

/// @param object what a handle of the standard's binary interface points to @return 0 if there are no more
/// integers
extern "C" [[gnu::visibility("default")]] int lisle_integer_of(void *object) noexcept;
/// The object with this integer, whatever its kind, or null.
extern "C" [[gnu::visibility("default")]] void *lisle_object_with_integer(int integer) noexcept;
