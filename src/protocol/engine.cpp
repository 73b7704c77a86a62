// SPDX-License-Identifier: Apache-2.0
// Progress and completion. See engine.hpp.
#include "protocol/engine.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

#include "base/checks.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "datatype/copy.hpp"
#include "execution/usable_cores.hpp"
#include "protocol/eager/short_path.hpp"
#include "protocol/handlers.hpp"
#include "protocol/process_seal.hpp"
#include "protocol/progress/descriptor_watch.hpp"
#include "protocol/progress/sleeping.hpp"
#include "protocol/tracks.hpp"

namespace lisle::protocol {

using fabric::claim_result;

namespace {

// Packets taken in one go: enough to amortise the lock, few enough that others get it soon.
constexpr int poll_batch = 32;
// Looks at the own mailbox alone, each a few instructions, before the general way to wait begins: about two
// microseconds, the time of an answer from a rank that runs. Only where a rank may keep its core.
constexpr unsigned brief_looks_alone = 1000;
// A short limit: no message is short, since the end of the short ones is one more.
constexpr std::size_t no_short_messages = SIZE_MAX;
const fabric::routes &routes_on(fabric::routes_by_track &all, int track) {
    const fabric::routes *const found = all.find(track);
    if (found == nullptr) {
        fail(MPI_ERR_OTHER, "a communicator is on track ", track,
             ", which not all fabrics in use here have: set LISLE_TRACKS=1 for all processes of the job");
    }
    return *found;
}

} // namespace

engine::engine(fabric::routes_by_track &routes, rank &owner, int track)
    : job_{owner.get_job()}, owner_{owner}, number_{owner.number()},
      on_node_{job_.places().index_on_node(number_)}, track_{track}, routes_{routes_on(routes, track)},
      limits_{eager_limits::from_settings()}, checks_types_{checks(check_level::cheap)},
      wildcards_{checks(check_level::all) ? &rank_wildcards.of(owner) : nullptr},
      mailboxes_{routes_.mailboxes()}, signature_{fabric::signed_by(number_)}, seal_{process_seal()},
      clock_{job_.clock()}, bell_{owner.bell()}, spin_policy_{spin_policy_for(job_.threads_on_machine(),
                                                                              usable_cores())},
      completed_send_{*this}, notes_{checks_types_ ? &rank_type_notes.of(owner) : nullptr},
      // What a message says for wildcard_races is said on the general way.
      outbox_{wildcards_ != nullptr ? no_short_messages
                                    : std::min(limits_.if_copied_once, fabric::cell::inline_bytes),
              checks_types_} {
    if (clock_.simulated()) {
        spin_policy_ = {.before_yield = 0, .before_sleep = 0, .among_fibers = 0};
    }
    brief_looks_ = job_.oversubscribed() || spin_policy_.before_yield == 0 ? 0 : brief_looks_alone;
    starts_alone_ = track != 0 && owner.engine().starts_alone_;
    if (track != 0) {
        const std::scoped_lock guard{owner.engine().lock_};
        served_by_ = owner.engine().served_by_;
    }
    for (fabric::fabric *const fabric : routes_.fabrics()) {
        if (auto *const inbox = fabric->mailbox_of(number_); inbox != nullptr && inbox_ == nullptr) {
            inbox_ = inbox;
            inbox_carrier_ = fabric;
        } else {
            others_.add(*fabric, is_received_by_thread(*fabric, number_));
        }
    }
    only_inbox_ = others_.empty() && !checks_types_ ? inbox_ : nullptr;
}

engine::~engine() {
    for (fabric::fabric *const fabric : routes_.fabrics()) {
        if (const fabric::waking how = fabric->wakes(number_); how.how == fabric::waking::by::descriptor) {
            descriptor_watch::forget(how.descriptor);
        }
    }
}

void engine::use_new_fabrics() {
    lock_.lock();
    enter_started_locked();
    starts_alone_ = false;
    for (fabric::fabric *const each : routes_.fabrics()) {
        if (each != inbox_carrier_ && !each->is_over() && !others_.has(*each)) {
            others_.add(*each, is_received_by_thread(*each, number_));
        }
    }
    only_inbox_ = others_.empty() ? only_inbox_ : nullptr;
    unlock_and_follow_up();
    bell_.ring(); // threads of the rank that sleep have not armed them
}

void engine::drop_fabric(fabric::fabric &gone) {
    const std::scoped_lock guard{lock_};
    others_.drop(gone);
    if (const fabric::waking how = gone.wakes(number_); how.how == fabric::waking::by::descriptor) {
        descriptor_watch::forget(how.descriptor);
    }
}

void engine::expect_one_thread(bool one) noexcept {
    one = one && !has_progress_threads(); // which come to the engine, too
    owner_.tracks().each([one](engine &each) {
        each.starts_alone_ = one && each.others_.empty() && each.wildcards_ == nullptr;
    });
    if (job_.rank_count() == 1) {
        lock_.serve_one_thread(one);
        return;
    }
    // Threads of other ranks of the process come too, and may be here already. But fibers of one worker are
    // one thread together, if none of them has others that call; and none holds a lock while another runs.
    if (job_.workers() != 1) {
        return;
    }
    // Nor may one hand messages to another past a route that says packets only.
    for (int rank = job_.first_rank(); job_.here(rank); ++rank) {
        if (mailboxes_[rank] == nullptr || !routes_.to(rank).same_address_space) {
            return;
        }
    }
    const bool before = lock_.serves_one_thread();
    const bool all = job_.promise_one_thread(one && fiber_worker::current() != nullptr);
    if (all == before) {
        return;
    }
    for (int rank = job_.first_rank(); job_.here(rank); ++rank) {
        if (lisle::rank *const other = job_.find(rank); other != nullptr) {
            other->engine().lock_.serve_one_thread(all);
            // Who compares does so where messages arrive.
            other->engine().one_worker_ = all && !checks_types_;
        }
    }
}

bool engine::progress() {
    const bool advanced = progressors_.any() && advance_progressors();
    return move_messages() || advanced;
}

bool engine::progress_elsewhere() {
    bool any = false;
    if (owner_.tracks().several()) {
        owner_.tracks().each([&](engine &other) { any = (&other != this && other.progress()) || any; });
    }
    return any;
}

int engine::take_packets_locked() {
    try {
        return take_arrived_locked();
    } catch (const std::bad_alloc &) {
        note_news_locked(); // of the packets before
        return 0;
    }
}

template <bool Typed> inline int engine::drain_inbox_locked() {
    return inbox_->drain(
        [this](const fabric::packet_header &header, std::span<const std::byte> payload,
               const fabric::cell &packet) __attribute__((always_inline)) {
            const envelope what{header.context, header.source, header.tag};
            if (header.kind != static_cast<std::uint8_t>(packet_kind::eager) ||
                (Typed && wildcards_ != nullptr)) [[unlikely]] {
                arrived_other(packet.sender(), what, packet_manner::of(header), payload);
            } else {
                arrived_eager<Typed>(what, header.flags, payload, matcher_.match(what));
            }
        },
        read_in_pieces_ == 0 ? poll_batch : 1);
}

int engine::drain_typed_locked() {
    return drain_inbox_locked<true>();
}

int engine::take_arrived_locked() {
    enter_started_locked();
    int taken = 0;
    if (inbox_ != nullptr) [[likely]] {
        taken = checks_types_ ? drain_typed_locked() : drain_inbox_locked<false>();
    }
    if (!others_.empty()) [[unlikely]] {
        taken += others_.poll(number_, *this, poll_batch, clock_, inbox_ == nullptr, taken);
    }
    if (taken != 0) {
        note_news_locked();
    }
    return taken;
}

void engine::expect_locked(request &pending, int peer) noexcept {
    if (others_.empty() || pending.at_end != 0) {
        return;
    }
    const std::uint8_t expected =
        peer < 0 ? others_.expect_anywhere() : others_.expect(*routes_.to(peer).carrier);
    if (expected != 0) {
        pending.expected = expected;
        pending.at_end |= request::forget_at_end;
    }
}

void engine::complete_specially_locked(request &finished) {
    if ((finished.at_end & request::forget_at_end) != 0) {
        finished.at_end &= static_cast<std::uint8_t>(~request::forget_at_end);
        others_.forget(finished.expected);
    }
    if ((finished.at_end & request::destroy_at_end) != 0) {
        orphans_.push_back(&finished);
        return;
    }
    // Release: as in complete_quietly_locked().
    finished.complete.store(true, std::memory_order_release);
}

bool engine::move_messages() {
    if (!lock_.try_lock()) {
        return false;
    }
    bool any = take_packets_locked() != 0;
    any |= look_out_locked();
    if (outbox_.empty()) [[likely]] {
        return unlock_and_transfer() || any;
    }
    any |= flush_deferred_locked();
    any |= push_streams_locked();
    // What is tried again is no progress: else a fiber that waits would let no other run.
    const bool only_again = transfers_ == nullptr && outbox_.has_stalled();
    outbox_.take_stalled(transfers_);
    return (unlock_and_transfer() && !only_again) || any;
}

bool engine::look_out_further_locked() {
    bool any = false;
    std::erase_if(lookouts_, [&](lookout *each) { return !each->look_locked(*this, any); });
    return any;
}

void engine::unlock_and_transfer_all() {
    pending_transfer *transfers = std::exchange(transfers_, nullptr);
    unlock_and_follow_up();
    while (transfers != nullptr) {
        // Read on first: what follows gives the object away.
        pending_transfer &current = *std::exchange(transfers, transfers->next);
        if (current.what == pending_transfer::kind::call) {
            auto &work = static_cast<pending_call &>(current);
            work.run(*this, work);
            continue;
        }
        auto &receive = static_cast<receive_operation &>(current);
        if (receive.what == pending_transfer::kind::stored) [[unlikely]] {
            receive.what = pending_transfer::kind::announced;
            accept(*receive.captured, receive);
        } else {
            transfer(receive);
        }
    }
}

bool engine::look_for(const request &awaited) {
    return !progressors_.any() && lock_.try_lock() && look_locked(awaited);
}

bool engine::look_locked(const request &awaited) {
    // The lock is kept: nobody else need take packets for this rank while it does so itself. Who wants it
    // gets it. Relaxed: it is the lock that orders what other threads complete.
    unsigned looks = 0;
    const unsigned most = brief_looks();
    const auto seen_nothing = [&] {
        return !awaited.complete.load(std::memory_order_relaxed) && transfers_ == nullptr && !wake_wanted_ &&
               outbox_.waiting() == 0;
    };
    take_packets_locked();
    if (!others_.empty()) [[unlikely]] {
        while (seen_nothing() && looks++ < most && !lock_.wanted()) {
            take_packets_locked();
        }
        unlock_and_transfer();
        return awaited.complete.load(std::memory_order_acquire);
    }
    while (seen_nothing()) {
        while (inbox_->next() == nullptr && looks < most && !lock_.wanted() &&
               !awaited.complete.load(std::memory_order_relaxed)) { // by end_if_watched()
            ++looks;
        }
        if (inbox_->next() == nullptr) {
            break;
        }
        take_packets_locked();
    }
    unlock_and_transfer();
    return awaited.complete.load(std::memory_order_acquire);
}

bool engine::advance_progressors() {
    progressor *work = progressors_.take();
    if (work == nullptr) {
        return false;
    }
    const auto before = sleeping::news_of(*this);
    const bool finished_any = progressors::advance(work);
    if (work == nullptr) {
        return finished_any;
    }
    progressors_.put_back(*work);
    if (sleeping::news_of(*this) != before) {
        // What came meanwhile may be for work that had been visited already, and another thread may have
        // looked for work, found none, and gone to sleep: let it look again.
        lock_.lock();
        note_news_locked();
        unlock_and_follow_up();
    }
    return finished_any;
}

void engine::list_unexpected(wait_note &note) {
    const std::scoped_lock guard{lock_};
    matcher_.each_stored([&note](const unexpected_message &stored) {
        note.add(wait_note::message{stored.what.context, stored.bytes, stored.what.source, stored.what.tag});
    });
}

void engine::note_news_locked() noexcept {
    ++news_;
    wake_wanted_ = sleepers_ != 0;
}

void engine::complete_locked(request &finished) {
    note_news_locked();
    complete_quietly_locked(finished);
}

void engine::unlock_and_wake() {
    const bool wake = std::exchange(wake_wanted_, false);
    doorbell &bell = bell_; // the owner of a request that has been completed may end, and its engine with it
    const auto orphans = std::exchange(orphans_, {});
    lock_.unlock();
    for (request *orphan : orphans) {
        delete orphan;
    }
    if (wake) {
        bell.ring();
    }
}

void engine::complete(request &finished) {
    lock_.lock();
    complete_locked(finished);
    unlock_and_follow_up();
}

void engine::release(request &freed) {
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

void engine::do_later(pending_call &work) {
    const std::scoped_lock guard{lock_};
    do_later_locked(work);
}

void engine::expect(request &pending, int peer) {
    const std::scoped_lock guard{lock_};
    expect_locked(pending, peer);
}

void engine::keep_general(bool general) {
    const std::scoped_lock guard{lock_};
    outbox_.keep_general(general);
}

bool engine::drained() {
    const std::scoped_lock guard{lock_};
    return outbox_.waiting() == 0;
}

} // namespace lisle::protocol
