// SPDX-License-Identifier: Apache-2.0
#include "protocol/progress/message_mover.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>

#include "protocol/progress/descriptor_watch.hpp"

namespace lisle::protocol {

namespace {

// Packets taken in one go: enough to amortise the lock, few enough that others get it soon.
constexpr int poll_batch = 32;
// The same for one fabric by a thread of the library's own: callers want the lock, too.
constexpr int receive_batch = 16;

} // namespace

// ---- what arrives ----

int message_mover::take_packets_locked() {
    try {
        return take_arrived_locked();
    } catch (const std::bad_alloc &) {
        core_.note_news_locked(); // of the packets before
        return 0;
    }
}

int message_mover::take_arrived_locked() {
    parts_.receives.enter_started_locked();
    int taken = 0;
    const bool has_mailbox = parts_.in.has_mailbox();
    if (has_mailbox) [[likely]] {
        taken = parts_.in.drain(poll_batch);
    }
    if (!core_.polled.empty()) [[unlikely]] {
        taken += core_.polled.poll(core_.self.number, into_, poll_batch, core_.self.job.clock(), !has_mailbox,
                                   taken);
    }
    if (taken != 0) {
        core_.note_news_locked();
    }
    return taken;
}

bool message_mover::look_out_further_locked() noexcept {
    bool any = false;
    for (lookout *each = std::exchange(lookouts_, nullptr); each != nullptr;) {
        lookout *const following = each->next; // read first: one that is forgotten may be gone
        if (each->look_locked(*core_.self.home, any)) {
            watch_locked(*each);
        }
        each = following;
    }
    return any;
}

// ---- rounds of progress ----

bool message_mover::move() {
    if (!core_.try_lock()) {
        return false;
    }
    bool any = take_packets_locked() != 0;
    any |= look_out_locked();
    outbox &waiting = parts_.out.waiting();
    if (waiting.empty()) [[likely]] {
        return unlock_and_work() || any;
    }
    any |= send_waiting_locked(nullptr);
    // What is tried again is no progress: else a fiber that waits would let no other run.
    const bool only_again = !core_.has_work() && waiting.has_stalled();
    retry_stalled_locked();
    return (unlock_and_work() && !only_again) || any;
}

bool message_mover::send_waiting_locked(const fabric::packet_carrier *to) {
    bool any = false;
    try {
        any = parts_.out.flush_locked(to);
        any |= parts_.sends.push_streams_locked(to);
    } catch (const std::bad_alloc &) { // the rest waits on
    }
    return any;
}

void message_mover::retry_stalled_locked() {
    for (pending_work *again = parts_.out.waiting().take_stalled(); again != nullptr;) {
        core_.do_unlocked(*std::exchange(again, again->next));
    }
}

void message_mover::unlock_and_do_all() {
    pending_work *work = core_.take_work();
    core_.unlock();
    while (work != nullptr) {
        // Read on first: what follows gives the object away.
        pending_work &current = *std::exchange(work, work->next);
        if (current.what == pending_work::kind::call) {
            auto &call = static_cast<pending_call &>(current);
            call.run(*core_.self.home, call);
            continue;
        }
        go_on(static_cast<receive_operation &>(current));
    }
}

void message_mover::go_on(receive_operation &receive) {
    switch (std::exchange(receive.what, pending_work::kind::announced)) {
    case pending_work::kind::stored:
        parts_.transfers.accept(*receive.captured, receive);
        break;
    case pending_work::kind::unasked:
        parts_.transfers.ask_again(receive);
        break;
    case pending_work::kind::untold:
        parts_.transfers.end(receive);
        break;
    default:
        parts_.transfers.transfer(receive);
    }
}

bool message_mover::look_locked(const request &awaited, unsigned most) {
    // The lock is kept: nobody else need take packets for this rank while it does so itself. Who wants it
    // gets it. Relaxed: it is the lock that orders what other threads complete.
    unsigned looks = 0;
    const engine_lock &lock = core_.bare_lock();
    const auto seen_nothing = [&] {
        return !awaited.complete.load(std::memory_order_relaxed) && !core_.has_work() &&
               !core_.wake_wanted_locked() && parts_.out.waiting().waiting() == 0;
    };
    take_packets_locked();
    if (!core_.polled.empty()) [[unlikely]] {
        while (seen_nothing() && looks++ < most && !lock.wanted()) {
            take_packets_locked();
        }
        unlock_and_work();
        return awaited.complete.load(std::memory_order_acquire);
    }
    fabric::mailbox_receiver &mailbox = *parts_.in.mailbox();
    while (seen_nothing()) {
        while (mailbox.next() == nullptr && looks < most && !lock.wanted() &&
               !awaited.complete.load(std::memory_order_relaxed)) { // by end_if_watched()
            ++looks;
        }
        if (mailbox.next() == nullptr) {
            break;
        }
        take_packets_locked();
    }
    unlock_and_work();
    return awaited.complete.load(std::memory_order_acquire);
}

// ---- before a thread sleeps ----

std::uint64_t message_mover::longest_sleep(const fabric::waking &how) const noexcept {
    switch (how.how) {
    case fabric::waking::by::doorbell:
        return 0;
    case fabric::waking::by::descriptor:
        // From here on the doorbell rings at an arrival, also at one that has come since it was armed.
        if (!descriptor_watch::ring_when_readable(how.descriptor, core_.self.owner.bell())) {
            return retry_nanoseconds;
        }
        // A sleep with an end does not count as one that only ranks of this job can end.
        return how.from_other_jobs ? longest_for_other_jobs : 0;
    case fabric::waking::by::polling:
        return how.nanoseconds;
    }
    return retry_nanoseconds;
}

bool message_mover::arm_locked(std::uint64_t &longest) {
    const auto arm = [&](fabric::packet_source &fabric, bool by_thread = false) {
        if (by_thread) {
            return true;
        }
        if (!fabric.arm(core_.self.number)) {
            core_.polled.ask_all_once();
            // Another thread of the rank that finds it armed must have looked since then.
            core_.require_look_locked();
            return false;
        }
        const fabric::waking how = fabric.wakes(core_.self.number);
        if (const std::uint64_t interval = longest_sleep(how); interval != 0) {
            longest = longest == 0 ? interval : std::min(longest, interval);
        }
        if (how.how != fabric::waking::by::doorbell) {
            // After the sleep: a descriptor stays readable until its fabric is asked, and would end each
            // further sleep at once.
            core_.polled.ask_all_once();
        }
        return true;
    };
    fabric::packet_source *const of_mailbox = parts_.in.source();
    return (of_mailbox == nullptr || arm(*of_mailbox)) && core_.polled.all_of(arm);
}

bool message_mover::begin_sleep(std::uint64_t &news_seen, std::uint64_t &longest) {
    const std::scoped_lock guard{core_.bare_lock()};
    parts_.receives.enter_started_locked();
    // Anything that came since the caller last looked may be what it waits for: one more round.
    if (std::exchange(news_seen, core_.news_locked()) != core_.news_locked() || core_.has_work()) {
        return false;
    }
    if (!arm_locked(longest) || look_out_locked()) {
        news_seen = core_.news_locked();
        return false;
    }
    // A fabric with a clock of its own rings when there is room: looking by the machine's time would make
    // every run another one. A Sender thread is called.
    if (!parts_.out.waiting().empty() && !core_.self.job.clock().simulated() && core_.senders() == nullptr) {
        longest = retry_nanoseconds;
    }
    core_.begin_sleep_locked();
    (void)parts_.receives.published().attend(true);
    return true;
}

void message_mover::end_sleep() {
    bool looks_once_more = false;
    {
        const std::scoped_lock guard{core_.bare_lock()};
        core_.end_sleep_locked();
        looks_once_more = parts_.receives.published().attend(false);
    }
    if (looks_once_more) [[unlikely]] {
        // For a sender that has found this thread asleep. Sequentially consistent, as in
        // announced_sends::claim_receive(): either this look finds its message, or it finds nobody asleep.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        move();
        const std::scoped_lock guard{core_.bare_lock()};
        parts_.receives.published().refresh();
    }
}

// ---- for threads of the library's own ----

bool message_mover::receive_from(fabric::packet_source &from) {
    core_.lock();
    parts_.receives.enter_started_locked();
    int taken = 0;
    try {
        taken = from.poll(core_.self.number, into_, receive_batch);
    } catch (const std::bad_alloc &) { // the packet waits until there is memory
    }
    if (taken != 0) {
        core_.note_news_locked();
    }
    return unlock_and_work() || taken != 0;
}

bool message_mover::arm(fabric::packet_source &from) {
    const std::scoped_lock guard{core_.bare_lock()};
    parts_.receives.enter_started_locked();
    return !core_.has_work() && from.arm(core_.self.number);
}

bool message_mover::receive() {
    core_.lock();
    const bool any = take_packets_locked() != 0;
    const bool seen = look_out_locked();
    return unlock_and_work() || any || seen;
}

bool message_mover::arm_all(std::uint64_t &longest) {
    const std::scoped_lock guard{core_.bare_lock()};
    parts_.receives.enter_started_locked();
    return !core_.has_work() && arm_locked(longest) && !look_out_locked();
}

bool message_mover::send_waiting(const fabric::packet_carrier *to, bool &rest) {
    core_.lock();
    if (parts_.out.waiting().empty()) {
        core_.unlock();
        return false;
    }
    const bool any = send_waiting_locked(to);
    // Copies that found no room, of whichever fabric: what is tried again is no progress.
    retry_stalled_locked();
    unlock_and_work();
    const std::scoped_lock guard{core_};
    rest = rest || !parts_.out.waiting().empty();
    return any;
}

} // namespace lisle::protocol
