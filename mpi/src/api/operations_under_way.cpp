// SPDX-License-Identifier: Apache-2.0
#include "api/operations_under_way.hpp"

namespace lisle::abi {

void operations_under_way::add(watched_operation &begun) {
    for (const watched_memory &each : begun.used.all()) {
        those_like(each).add(extent_of(each), {&begun, &each});
    }
    if (begun.holder) {
        by_holder_[*begun.holder].insert(&begun);
    }
}

void operations_under_way::remove(watched_operation &ended) noexcept {
    for (const watched_memory &each : ended.used.all()) {
        those_like(each).remove(extent_of(each), {&ended, &each});
    }
    if (ended.holder) {
        if (const auto held = by_holder_.find(*ended.holder); held != by_holder_.end()) {
            held->second.erase(&ended);
            if (held->second.empty()) {
                by_holder_.erase(held);
            }
        }
    }
}

} // namespace lisle::abi
