// SPDX-License-Identifier: Apache-2.0
// Who wants to know when communicators begin and end: one function for the process, or none, which costs a
// look at a pointer.
#pragma once

#include <atomic>

namespace lisle {

class communicator;

enum class communicator_event : unsigned char { begins, ends };
/// Called in the thread that makes or drops the communicator, with no lock held.
using communicator_observer = void (*)(communicator_event what, const communicator &which);

/// Release by who sets it, acquire by who calls it: the function sees what was made ready for it.
inline std::atomic<communicator_observer> observe_communicators{nullptr};

inline void tell_observer(communicator_event what, const communicator &which) {
    if (const auto observer = observe_communicators.load(std::memory_order_acquire); observer != nullptr) {
        observer(what, which);
    }
}

} // namespace lisle
