// SPDX-License-Identifier: Apache-2.0
// How a rank waits for another one within a collective: what is awaited comes soon, more often than not, so
// it looks for that alone for a while before it waits in the one waiting primitive.
#pragma once

#include "protocol/engine.hpp"
#include "runtime/fiber_worker.hpp"
#include "runtime/spin_lock.hpp"

namespace lisle::collective {

/// Returns when `done()` is true. @param home the communicator's engine. A fiber first lets the others of its
/// worker run: most likely they are about to do what it waits for.
template <class Predicate> void wait_for(protocol::engine &home, Predicate done) {
    constexpr unsigned turns_of_others = 2;
    fiber_worker *const worker = fiber_worker::current();
    for (unsigned turn = 0; turn < turns_of_others && worker != nullptr && worker->yield(); ++turn) {
        if (done()) {
            return;
        }
    }
    for (unsigned looks = home.brief_looks(); looks > 0; --looks) {
        if (done()) {
            return;
        }
        relax(); // else the look takes the line away from whoever is about to write it
    }
    protocol::wait_until(home, done);
}

} // namespace lisle::collective
