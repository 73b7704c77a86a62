// SPDX-License-Identifier: Apache-2.0
// What threads of the library's own do for a rank's engine: the parts of progress, apart. See
// device_threads.hpp.
#include <mutex>
#include <new>

#include "protocol/progress/sleeping.hpp"

namespace lisle::protocol {

namespace {

// Packets of one fabric that are taken in one go: callers want the lock, too.
constexpr int receive_batch = 16;

} // namespace

bool engine::receive_from(fabric::fabric &from) {
    lock_.lock();
    enter_started_locked();
    int taken = 0;
    try {
        taken = from.poll(number_, *this, receive_batch);
    } catch (const std::bad_alloc &) { // the packet waits until there is memory
    }
    if (taken != 0) {
        note_news_locked();
    }
    return unlock_and_transfer() || taken != 0;
}

bool engine::arm(fabric::fabric &from) {
    const std::scoped_lock guard{lock_};
    enter_started_locked();
    return transfers_ == nullptr && from.arm(number_);
}

bool engine::receive() {
    lock_.lock();
    const bool any = take_packets_locked() != 0;
    const bool seen = look_out_locked();
    return unlock_and_transfer() || any || seen;
}

bool engine::arm_all(std::uint64_t &longest) {
    const std::scoped_lock guard{lock_};
    enter_started_locked();
    return transfers_ == nullptr && sleeping::arm_locked(*this, longest) && !look_out_locked();
}

bool engine::send_waiting(const fabric::fabric *to, bool &rest) {
    lock_.lock();
    const auto waiting = [this] { return outbox_.waiting() + (outbox_.has_stalled() ? 1 : 0); };
    if (waiting() == 0) {
        lock_.unlock();
        return false;
    }
    bool any = flush_deferred_locked(to);
    any = push_streams_locked(to) || any;
    // Copies that found no room, of whichever fabric: what is tried again is no progress.
    outbox_.take_stalled(transfers_);
    unlock_and_transfer();
    const std::scoped_lock guard{lock_};
    rest = rest || waiting() != 0;
    return any;
}

} // namespace lisle::protocol
