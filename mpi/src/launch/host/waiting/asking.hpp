// SPDX-License-Identifier: Apache-2.0
// How a fiber waits for what rings no bell: it asks again and again, and other ranks of its worker run in
// between.
#pragma once

#include "launch/host/rank/handlers_run.hpp"
#include "launch/host/waiting/giving_way.hpp"

#include <cerrno>

namespace lisle::host {

/// Asks until the kernel has an answer, the deadline is over, or a handler of the rank's has run that ends
/// the call (-1 with EINTR). @param ask returns 0 if it has none yet
template <class Ask> auto ask_until(const deadline &end, ended_by which, Ask ask) {
    const handler_watch handlers{which};
    pauses between;
    for (;;) {
        if (const auto result = ask(); result != 0) {
            return result;
        }
        if (handlers.has_run()) {
            errno = EINTR;
            return decltype(ask()){-1};
        }
        if (!between.rest(end)) {
            return decltype(ask()){0};
        }
    }
}

} // namespace lisle::host
