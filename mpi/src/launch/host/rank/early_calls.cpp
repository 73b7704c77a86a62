// SPDX-License-Identifier: Apache-2.0
#include "launch/host/rank/early_calls.hpp"

namespace lisle::host {

constinit bool has_begun = false;

namespace {

[[gnu::constructor]] void begin() {
    has_begun = true;
}

} // namespace

} // namespace lisle::host
