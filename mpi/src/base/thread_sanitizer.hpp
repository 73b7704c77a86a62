// SPDX-License-Identifier: Apache-2.0
// Tells ThreadSanitizer of an order that it cannot see: between two threads of one process, by way of a
// thread of another process. Empty in builds without ThreadSanitizer; these calls order nothing by
// themselves.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace lisle {

/// All that the calling thread has done so far comes before what any thread does after an acquire load
/// of the atomic at `place`.
inline void note_release_by_peer([[maybe_unused]] void *place) noexcept {
#if defined(__SANITIZE_THREAD__)
    __tsan_release(place);
#endif
}

/// What threads did before note_release_by_peer(place()) comes before what the calling thread does now, since
/// another process has said so in a message. @param place is asked only with ThreadSanitizer; may return null
template <class Place> void note_acquire_by_peer([[maybe_unused]] Place place) {
#if defined(__SANITIZE_THREAD__)
    if (void *const here = place(); here != nullptr) {
        __tsan_acquire(here);
    }
#endif
}

} // namespace lisle
