// SPDX-License-Identifier: Apache-2.0
// Reports name the program's calls, not those that a face makes for it.
#include "abi/call_place.hpp"

namespace {

[[gnu::constructor]] void come() {
    lisle_stands_between(reinterpret_cast<const void *>(&come), 1);
}

[[gnu::destructor]] void go() {
    lisle_stands_between(reinterpret_cast<const void *>(&go), 0);
}

} // namespace
