// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "base/error.hpp"
#include "base/no_room.hpp"
#include "mpi.h"
#include "protocol/engine.hpp"
#include "protocol/memory_wait.hpp"

namespace lisle::protocol {

/// Does what other ranks count on already, again and again while there is no memory for it. For what needs
/// little: a message of an agreement, an entry of a table. @param action leaves nothing behind where it
/// throws
template <class Action> decltype(auto) once_there_is_memory(engine &home, Action action) {
    for (memory_wait wait;;) {
        try {
            return action();
        } catch (const std::bad_alloc &) {
            wait.refused(home.core().self.number);
            if (!home.progress()) {
                home.found_nothing();
            }
        }
    }
}

/// The same for what nobody counts on yet, so it may fail: what is as large as the user's data is not waited
/// for. Throws MPI_ERR_NO_MEM then.
template <class Action> decltype(auto) once_there_is_some_memory(engine &home, Action action) {
    return once_there_is_memory(home, [&]() -> decltype(auto) {
        try {
            return action();
        } catch (const no_room &lacking) {
            fail(MPI_ERR_NO_MEM, lacking.what());
        }
    });
}

} // namespace lisle::protocol
