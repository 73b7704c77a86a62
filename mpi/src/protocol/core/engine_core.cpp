// SPDX-License-Identifier: Apache-2.0
#include "protocol/core/engine_core.hpp"

#include <mutex>

namespace lisle::protocol {

engine_core::engine_core(engine *home, const fabric::routes &routes, rank &owner, int track,
                         message_observer *observer)
    : self{.home = home,
           .owner = owner,
           .job = owner.get_job(),
           .routes = routes,
           .number = owner.number(),
           .on_node = owner.get_job().places().index_on_node(owner.number()),
           .track = track,
           .in_same_address_space = routes.to(owner.number()).same_address_space},
      observer{observer} {}

void engine_core::complete_specially_locked(request &finished) {
    if ((finished.at_end & request::forget_at_end) != 0) {
        finished.at_end &= static_cast<std::uint8_t>(~request::forget_at_end);
        polled.forget(finished.expected);
    }
    if ((finished.at_end & request::destroy_at_end) != 0) {
        finished.next_orphan = std::exchange(orphans_, &finished);
        return;
    }
    // Release: as in try_complete().
    finished.complete.store(true, std::memory_order_release);
}

void engine_core::fail_locked(request &failed, int error) {
    failed.result.error = error;
    failed.result.bytes = 0;
    complete_locked(failed);
}

void engine_core::complete(request &finished) {
    lock();
    complete_locked(finished);
    unlock();
}

void engine_core::release(request &freed) {
    // Acquire: pairs with the release of the thread that completed it, and has forgotten it since.
    if (!freed.complete.load(std::memory_order_acquire)) {
        const std::scoped_lock guard{lock_};
        if (freed.active && !freed.complete.load(std::memory_order_relaxed)) {
            freed.at_end |= request::destroy_at_end;
            return;
        }
    }
    delete &freed;
}

void engine_core::expect_locked(request &pending, int peer) noexcept {
    if (polled.empty() || pending.at_end != 0) {
        return;
    }
    const std::uint8_t expected =
        peer < 0 ? polled.expect_anywhere() : polled.expect(*self.routes.to(peer).source);
    if (expected != 0) {
        pending.expected = expected;
        pending.at_end |= request::forget_at_end;
    }
}

void engine_core::expect(request &pending, int peer) {
    const std::scoped_lock guard{lock_};
    expect_locked(pending, peer);
}

void engine_core::unlock_and_wake() {
    const bool wake = std::exchange(wake_wanted_, false);
    // The owner of a request that has been completed may end, and its engine with it: not asked for later.
    doorbell &bell = self.owner.bell();
    request *orphans = std::exchange(orphans_, nullptr);
    lock_.unlock();
    while (orphans != nullptr) {
        delete std::exchange(orphans, orphans->next_orphan);
    }
    if (wake) {
        bell.ring();
    }
}

} // namespace lisle::protocol
