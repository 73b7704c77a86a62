// SPDX-License-Identifier: Apache-2.0
// Waiting for something other than a message: a connection, a process. Meanwhile the rank makes progress, and
// other fibers run.
#pragma once

#include <chrono>
#include <thread>

#include "execution/fiber_worker.hpp"
#include "execution/rank.hpp"
#include "protocol/engine.hpp"

namespace lisle::dynamic {

/// Returns when `ready()` is true.
template <class Ready> void wait_for(Ready ready) {
    using namespace std::chrono_literals;
    protocol::engine &home = this_rank().engine();
    constexpr unsigned brief_looks = 100;
    for (unsigned looks = 0; !ready(); ++looks) {
        if (home.progress()) {
            looks = 0;
            continue;
        }
        home.found_nothing();
        fiber_worker *const worker = fiber_worker::current();
        if (looks > brief_looks && (worker == nullptr || !worker->others_ready())) {
            std::this_thread::sleep_for(200us);
        }
    }
}

} // namespace lisle::dynamic
