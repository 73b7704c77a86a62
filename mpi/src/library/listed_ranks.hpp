// SPDX-License-Identifier: Apache-2.0
// The ranks of this process as a debugger finds them, also in a core file (mpi/src/debugger). The library
// works without it.
#pragma once

#include <cstdint>

namespace lisle {

class rank;

/// One rank. Read from outside of the process: the layout is part of mpi/src/debugger.
struct rank_note {
    rank_note *next;
    const void *self; ///< the rank, as detail::current_rank names it
    std::int32_t number;
    std::int32_t thread;        ///< of the kernel: the one that it began on
    const void *fiber;          ///< null unless it is one
    const void *const *running; ///< the fiber that its worker runs
    void *const *registers;     ///< of the fiber while it does not run
    const void *engines;        ///< as many pointers as there may be, null where there is none
};

/// Distances in bytes, for a debugger without debug information of the library.
struct rank_layout {
    std::int32_t engines;          ///< how many pointers
    std::int32_t oldest_message;   ///< in an engine: a pointer to the oldest message that nobody has received
    std::int32_t first_receive;    ///< in an engine: a pointer to the first receive that waits
    std::int32_t newer;            ///< in a message: a pointer to the next one
    std::int32_t message_envelope; ///< in a message: context (8 bytes), source, tag
    std::int32_t message_bytes;    ///< in a message: its size
    std::int32_t receive_envelope; ///< in a receive
};

/// Lists the calling thread's rank. It stays in the list as long as the process lives.
void list_for_debuggers(rank &self);
/// The rank ends: nobody is to look at its engines any more.
void note_end_for_debuggers(rank &self) noexcept;

} // namespace lisle
