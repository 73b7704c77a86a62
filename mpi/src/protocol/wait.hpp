// SPDX-License-Identifier: Apache-2.0
// The waiting primitive of all calls. See progress/waiter.hpp.
#pragma once

#include "execution/rank.hpp"
#include "protocol/engine.hpp"

namespace lisle::protocol {

/// Makes progress for the rank until `done()` is true.
/// @param home the engine that what is awaited belongs to: looked at most often
/// @param what is awaited; null: perhaps something that needs no rank
template <class Predicate> void wait_until(engine &home, Predicate done, const awaited *what = nullptr) {
    if (!done()) {
        home.waits().wait_until([](void *predicate) { return (*static_cast<Predicate *>(predicate))(); },
                                &done, what);
    }
}
/// The same for messages that belong to no communicator in particular.
template <class Predicate> void wait_until(rank &rank, Predicate done) {
    const awaited_ranks what;
    wait_until(rank.engine(), done, &what);
}

} // namespace lisle::protocol
