// SPDX-License-Identifier: Apache-2.0
// How a rank waits for another one within a collective: what is awaited comes soon, more often than not, so
// it looks for that alone for a while before it waits in the one waiting primitive.
#pragma once

#include "base/spin_lock.hpp"
#include "execution/fiber_worker.hpp"
#include "protocol/engine.hpp"
#include "protocol/wait.hpp"

namespace lisle::collective {

/// Returns when `done()` is true. @param home the communicator's engine. A fiber first lets the others of its
/// worker run: most likely they are about to do what it waits for, or those of another worker are.
/// @param what is awaited; null: perhaps something that needs no rank
template <class Predicate>
void wait_for(protocol::engine &home, Predicate done, const protocol::awaited *what = nullptr) {
    if (fiber_worker *const worker = fiber_worker::current(); worker != nullptr) {
        if (worker->yield()) {
            if (done()) {
                return;
            }
            constexpr unsigned turns_for_progress = 16; // others may wait for something else of this rank
            const unsigned most_turns = home.waits().brief_turns(*worker);
            for (unsigned turn = 2; turn <= most_turns && worker->yield(); ++turn) {
                if (done()) {
                    return;
                }
                if (turn % turns_for_progress == 0) {
                    home.progress();
                    home.waits().progress_elsewhere();
                }
            }
        }
    }
    for (unsigned looks = home.waits().brief_looks(); looks > 0; --looks) {
        if (done()) {
            return;
        }
        relax(); // else the look takes the line away from the rank that is about to write it
    }
    protocol::wait_until(home, done, what);
}

/// The same for a fiber that the other fibers of its worker wait for: it looks for a while before it lets
/// them run, since they have nothing to do.
template <class Predicate>
void wait_before_others(protocol::engine &home, Predicate done, const protocol::awaited *what = nullptr) {
    constexpr unsigned most_looks = 30; // about a microsecond
    for (unsigned looks = 0; looks < most_looks; ++looks) {
        if (done()) {
            return;
        }
        relax();
    }
    wait_for(home, done, what);
}

} // namespace lisle::collective
