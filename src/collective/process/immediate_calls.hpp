// SPDX-License-Identifier: Apache-2.0
// Blocking calls that need no plan, since most of their time would be planning: barriers and reductions of
// ranks that take turns in one process, and short scans of two ranks. The table of the selection decides here
// as everywhere.
#pragma once

#include "collective/node/message_scan.hpp"
#include "collective/process/in_process.hpp"
#include "collective/schedule/planning.hpp"

namespace lisle::collective {

/// True if a blocking call runs as an in-process collective. @param bytes of the vector of a reduction
[[nodiscard, gnu::always_inline]] inline bool selects_in_process(communicator &comm, operation what,
                                                                 const sizes &asked) {
    if (in_process_collective::of(comm) == nullptr || checking() || !asked.predefined()) {
        return false;
    }
    if (is_forced(what)) [[unlikely]] {
        return select_from_table({comm, form::blocking}, what, asked) == algorithm::in_process;
    }
    return asked.bytes <= shortlist_of(what).in_process;
}

/// True if a blocking scan is one or two messages.
[[nodiscard, gnu::always_inline]] inline bool selects_message(communicator &comm, operation what,
                                                              const sizes &asked) {
    if (comm.size() != 2 || comm.inter() || asked.bytes > most_in_message || !asked.plain() || checking()) {
        return false;
    }
    if (is_forced(what)) [[unlikely]] {
        return select_from_table({comm, form::blocking}, what, asked) == algorithm::message;
    }
    return shortlist_of(what).message;
}

} // namespace lisle::collective
