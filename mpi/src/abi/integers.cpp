// SPDX-License-Identifier: Apache-2.0
#include "abi/integers.hpp"

#include <exception>

#include "base/handle_integers.hpp"

int lisle_integer_of(void *object) noexcept {
    try {
        return lisle::integer_of(*static_cast<lisle::object *>(object));
    } catch (const std::exception &) {
        return 0;
    }
}

void *lisle_object_with_integer(int integer) noexcept {
    return lisle::object_with_integer(integer);
}
