// SPDX-License-Identifier: Apache-2.0
#include "rma/synchronization.hpp"

#include <atomic>
#include <exception>
#include <list>
#include <mutex>
#include <new>
#include <sched.h>
#include <utility>

#include "base/error.hpp"
#include "collective/selection/launch.hpp"
#include "collective/selection/plan.hpp"
#include "collective/selection/selection.hpp"
#include "datatype/predefined.hpp"
#include "execution/fiber_worker.hpp"
#include "execution/rank.hpp"
#include "protocol/engine.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/tracks.hpp"
#include "rma/all_locks.hpp"
#include "rma/races/watch.hpp"
#include "rma/state/failures_within.hpp"
#include "rma/state/order_by_peers.hpp"
#include "rma/state/window_lock.hpp"
#include "rma/state/window_orders.hpp"

namespace lisle::rma {

namespace {

/// Tags of the messages on the window's communicator.
enum signal : int { posted = 1, completed = 2 };

typed_buffer nothing() {
    return {nullptr, 0, byte_type()};
}

void send_signal(window &on, int to, signal what, const typed_buffer &news) {
    protocol::once_there_is_memory(
        on.home(), [&] { protocol::start_send(news, on.comm().point_to_point, to, what)->free(); });
}

/// The data of a post message: with LISLE_CHECK=1 its time, else none.
typed_buffer when_posted(moment &at) {
    return {&at, race_watch::watched() ? MPI_Count{sizeof at} : 0, byte_type()};
}

/// Ends the caller's exposure epoch if all origins have completed.
bool close_if_completed(exposure_epoch &exposed, bool look_only) {
    std::vector<protocol::request *> ended;
    {
        const std::scoped_lock guard{exposed.mutex};
        for (protocol::request *const signal : exposed.awaited) {
            // Acquire: pairs with the release of the completion; the origin's accesses come before that.
            if (look_only && !signal->complete.load(std::memory_order_acquire)) {
                return false;
            }
        }
        exposed.open = false;
        ended = std::move(exposed.awaited);
        exposed.awaited.clear();
    }
    int error = MPI_SUCCESS;
    for (protocol::request *const signal : ended) {
        protocol::wait(*signal);
        error = signal->result.error != MPI_SUCCESS ? signal->result.error : error;
        signal->free();
    }
    if (error != MPI_SUCCESS) {
        fail(error, "an origin of the exposure epoch has failed");
    }
    return true;
}

void check_exposed(exposure_epoch &exposed) {
    const std::scoped_lock guard{exposed.mutex};
    if (!exposed.open) {
        fail(MPI_ERR_RMA_SYNC, "the window's memory has not been exposed: call MPI_Win_post first");
    }
}

/// Completes the operations on a target, or on all (-1). Operations without messages are complete when their
/// calls return.
void complete_operations(window &on, int target) {
    on.ways.flush(target);
    store_order::settle();
}

/// The same within another call, which throws the failure later. Others wait for what follows, so it waits
/// for memory.
class flush_within : public failures_within {
  public:
    flush_within(window &on, int target) {
        attempt([&] { protocol::once_there_is_memory(on.home(), [&] { complete_operations(on, target); }); });
    }
};

/// Notes something for the checks of races, as far as there is memory: the call itself has succeeded.
template <class Note> void note_for_checks(Note note) {
    try {
        note();
    } catch (const std::bad_alloc &) {
    }
}

/// Makes progress now and then, for ranks that poll in a loop of calls on the window.
void look_around(window &on) {
    if (on.is_time_to_look_around()) [[unlikely]] {
        on.home().progress();
        on.home().found_nothing();
    }
}

/// After a release of locks: lets the waiting ranks run. A rank that shares a thread or a core with them
/// would otherwise take the lock again before them each time.
void look_around_unlocked(window &on, bool others_waited) {
    if (others_waited) [[unlikely]] {
        on.home().progress(); // serves the ranks of other nodes that wait
        on.home().found_nothing();
        if (fiber_worker::current() == nullptr) {
            sched_yield();
        }
    } else {
        look_around(on);
    }
}

/// The members whose lock words are in this node's memory (near), or the others.
std::vector<int> members_by_place(const window &on, bool near) {
    std::vector<int> found;
    for (int member = 0; member < on.size(); ++member) {
        if (on.members.is_near(member) == near) {
            found.push_back(member);
        }
    }
    return found;
}

} // namespace

void sync(window &on) {
    store_order::settle();
    note_order_by_peers(on.members);
    look_around(on);
    window_orders{on.members}.looks();
}

void flush(window &on, int target) {
    complete_operations(on, target);
    look_around(on);
    race_watch::flushed(on.members, target, false);
    window_orders{on.members}.updated(target);
}

void flush_local(window &on, int target) {
    complete_operations(on, target); // nothing but the target's answer says that the buffer is free
    look_around(on);
    race_watch::flushed(on.members, target, true);
    window_orders{on.members}.updated(target);
}

void fence(window &on, int assertion) {
    on.access.check_fence();
    const flush_within flushed{on, -1}; // with MPI_MODE_NOPRECEDE there is nothing to flush
    race_watch::fence_ends(on.members);
    note_order_by_peers(on.members); // accesses before the fence
    meet(on.comm());
    note_order_by_peers(on.members); // accesses of the others
    const bool goes_on = (assertion & MPI_MODE_NOSUCCEED) == 0;
    on.access.fence(goes_on);
    note_for_checks([&] { race_watch::fenced(on.members, goes_on); });
    flushed.rethrow();
}

namespace {
/// Receives for what the origins say when they have completed. None is left if it throws.
std::vector<protocol::request *> await_completion(window &on, const std::vector<int> &origins) {
    std::vector<protocol::request *> awaited;
    awaited.reserve(origins.size());
    try {
        for (const int origin : origins) {
            awaited.push_back(
                protocol::start_receive(nothing(), on.comm().point_to_point, origin, completed));
        }
    } catch (const std::bad_alloc &) {
        for (protocol::request *const each : awaited) { // nobody has been let in, so nothing comes
            each->cancel();
            protocol::wait(*each);
            each->free();
        }
        throw;
    }
    return awaited;
}
} // namespace

void post(window &on, const std::vector<int> &origins, int assertion) {
    {
        const std::scoped_lock guard{on.exposure.mutex};
        if (on.exposure.open) {
            fail(MPI_ERR_RMA_SYNC, "the window's memory is exposed already: call MPI_Win_wait first");
        }
        on.exposure.awaited = await_completion(on, origins);
        on.exposure.open = true;
    }
    note_order_by_peers(on.members);
    window_orders{on.members}.posts(origins);
    if ((assertion & MPI_MODE_NOCHECK) == 0) {
        on.exposure.posted = race_watch::watched() ? race_watch::now() : 0;
        race_watch::exposed(on.members, on.exposure.posted);
        for (const int origin : origins) {
            send_signal(on, origin, posted, when_posted(on.exposure.posted));
        }
    }
}

void start(window &on, std::vector<int> targets, int assertion) {
    on.access.check_start();
    std::vector<moment> posted_at(targets.size(), never);
    if ((assertion & MPI_MODE_NOCHECK) == 0) {
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const protocol::outcome ended = protocol::once_there_is_memory(on.home(), [&] {
                return protocol::receive(when_posted(posted_at[i]), on.comm().point_to_point, targets[i],
                                         posted);
            });
            if (ended.error != MPI_SUCCESS) {
                fail(ended.error, "target ", targets[i], " has failed");
            }
        }
    }
    note_for_checks([&] { race_watch::started(on.members, targets, posted_at); });
    window_orders{on.members}.started();
    on.access.start(std::move(targets));
}

void complete(window &on) {
    const std::vector<int> targets = on.access.complete();
    note_order_by_peers(on.members);
    window_orders{on.members}.completes(targets);
    const flush_within flushed{on, -1};
    race_watch::completes(on.members);
    for (const int target : targets) {
        send_signal(on, target, completed, nothing());
    }
    flushed.rethrow();
}

void wait(window &on) {
    check_exposed(on.exposure);
    static_cast<void>(close_if_completed(on.exposure, false));
    race_watch::exposed(on.members, 0);
    note_order_by_peers(on.members);
    window_orders{on.members}.waited();
}

bool test(window &on) {
    check_exposed(on.exposure);
    on.home().progress();
    if (close_if_completed(on.exposure, true)) {
        race_watch::exposed(on.members, 0);
        note_order_by_peers(on.members);
        window_orders{on.members}.waited();
        return true;
    }
    on.home().found_nothing();
    return false;
}

namespace {
/// A lock that is not taken excludes nobody.
epoch_kind watched_kind(lock_word::kind wanted, bool taken) noexcept {
    return taken && wanted == lock_word::kind::exclusive ? epoch_kind::exclusive_lock
                                                         : epoch_kind::shared_lock;
}
} // namespace

void lock(window &on, int target, lock_word::kind wanted, int assertion) {
    const bool taken = (assertion & MPI_MODE_NOCHECK) == 0;
    std::list<held_lock> expected = on.access.expect_lock({target, wanted, taken});
    if (taken && on.members.is_near(target)) {
        take_lock(on.members, target, wanted);
    } else if (taken) {
        awaited_answers::settle(on.messages.origin.ask(request_kind::lock, target, wanted));
    }
    store_order::before_read();
    note_order_by_peers(on.members);
    if (taken) {
        window_orders{on.members}.locked(target, wanted);
    }
    on.access.lock(std::move(expected));
    note_for_checks([&] { race_watch::locked(on.members, target, watched_kind(wanted, taken)); });
}

void unlock(window &on, int target) {
    const held_lock held = on.access.locked(target);
    note_order_by_peers(on.members);
    if (held.taken) {
        window_orders{on.members}.unlocks(target, held.kind);
    }
    race_watch::unlocks(on.members, target);
    if (!held.taken || on.members.is_near(target)) {
        const flush_within flushed{on, target};
        race_watch::flushed(on.members, target, false);
        const bool others_waited = held.taken && give_lock(on.members, target, held.kind);
        on.access.forget(target);
        look_around_unlocked(on, others_waited);
        flushed.rethrow();
        return;
    }
    const auto only_target = protocol::once_there_is_memory(on.home(), [&] { return std::vector{target}; });
    failures_within failures;
    failures.attempt([&] { on.ways.flush_copies(); });
    on.access.forget(target);
    failures.attempt([&] { on.messages.origin.give_back(only_target, held.kind); });
    failures.rethrow();
    race_watch::flushed(on.members, target, false);
}

void lock_all(window &on, int assertion) {
    on.access.check_lock_all();
    const bool taken = (assertion & MPI_MODE_NOCHECK) == 0;
    if (taken) {
        take_all_locks(on);
    }
    store_order::before_read();
    note_order_by_peers(on.members);
    if (taken) {
        window_orders{on.members}.locked(-1, lock_word::kind::shared);
    }
    on.access.lock_all(taken);
    note_for_checks([&] { race_watch::locked(on.members, -1, epoch_kind::shared_lock); });
}

void unlock_all(window &on) {
    const auto members_that_are = [&on](bool near) {
        return protocol::once_there_is_memory(on.home(), [&] { return members_by_place(on, near); });
    };
    const std::vector<int> far = members_that_are(false), near = members_that_are(true);
    const bool taken = on.access.unlock_all();
    note_order_by_peers(on.members);
    if (taken) {
        window_orders{on.members}.unlocks(-1, lock_word::kind::shared);
    }
    race_watch::unlocks(on.members, -1);
    failures_within failures;
    bool others_waited = false;
    if (taken) {
        failures.attempt([&] { on.ways.flush_copies(); });
        store_order::settle();
        failures.attempt([&] { on.messages.origin.give_back(far, lock_word::kind::shared); });
        failures.attempt([&] { // requests to ranks of the node
            protocol::once_there_is_memory(on.home(), [&] { on.messages.origin.flush(-1); });
        });
        race_watch::flushed(on.members, -1, false);
        for (const int target : near) {
            others_waited = give_lock(on.members, target, lock_word::kind::shared) || others_waited;
        }
    } else {
        failures.attempt(
            [&] { protocol::once_there_is_memory(on.home(), [&] { complete_operations(on, -1); }); });
        race_watch::flushed(on.members, -1, false);
    }
    look_around_unlocked(on, others_waited);
    failures.rethrow();
}

void meet(communicator &members) {
    static constexpr collective::operands none{};
    if (!try_at_once(members, collective::operation::barrier, {}, none)) {
        // The others wait for this member, so it waits for memory.
        auto made = protocol::once_there_is_memory(*members.point_to_point.home, [&] {
            return collective::plan_barrier({members, collective::form::blocking});
        });
        collective::run(members, std::move(made));
    }
}

void leave(const lisle::rank &ended) {
    ended.tracks().each([](const protocol::engine &home) {
        registered<window>::each_of(home, [](window &left) { left.access.end(); });
    });
}

} // namespace lisle::rma
