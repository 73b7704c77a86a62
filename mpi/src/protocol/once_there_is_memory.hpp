// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "protocol/engine.hpp"

namespace lisle::protocol {

/// Does what other ranks count on already, again and again while there is no memory for it. For what needs
/// little: a message of an agreement, an entry of a table. @param action leaves nothing behind where it
/// throws
template <class Action> decltype(auto) once_there_is_memory(engine &home, Action action) {
    for (;;) {
        try {
            return action();
        } catch (const std::bad_alloc &) {
            if (!home.progress()) {
                home.found_nothing();
            }
        }
    }
}

} // namespace lisle::protocol
