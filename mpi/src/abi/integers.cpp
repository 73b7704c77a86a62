// SPDX-License-Identifier: Apache-2.0
#include "abi/integers.hpp"

#include <exception>

int lisle_integer_of(lisle::object *target) noexcept {
    try {
        return lisle::integer_of(*target);
    } catch (const std::exception &) {
        return 0;
    }
}
