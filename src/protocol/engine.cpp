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
#include "protocol/process_seal.hpp"
#include "protocol/progress/descriptor_watch.hpp"
#include "protocol/tracks.hpp"

namespace lisle::protocol {

using fabric::claim_result;

namespace {

// Packets taken in one go: enough to amortise the lock, few enough that others get it soon.
constexpr int poll_batch = 32;
// Looks at the own mailbox alone, each a few instructions, before the general way to wait begins: about two
// microseconds, the time of an answer from a rank that runs. Only where a rank may keep its core.
constexpr unsigned brief_looks_alone = 1000;
// Longest messages sent unasked, measured with bench/: where the receiver can copy from the sender's buffer
// one copy is saved above this.
constexpr std::size_t eager_if_copied_once = 4096;
// A short limit: no message is short, since the end of the short ones is one more.
constexpr std::size_t no_short_messages = SIZE_MAX;
// An announcement takes so much data along even to a rank that wants no unexpected data: to keep the
// announcement costs it no less.
constexpr std::uint64_t most_carried_always = 128;

std::size_t eager_limit_from(std::int64_t set, std::size_t standard) {
    return set >= 0 ? static_cast<std::size_t>(set) : standard;
}

/// Packets whose place among those of their sender means nothing: each is about one message of the receiver.
constexpr bool answers_only(std::uint8_t kind) noexcept {
    return kind == static_cast<std::uint8_t>(packet_kind::clear_to_send) ||
           kind == static_cast<std::uint8_t>(packet_kind::done);
}

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
      eager_if_copied_once_{eager_limit_from(value_of(setting::eager_limit), eager_if_copied_once)},
      eager_otherwise_{eager_limit_from(value_of(setting::eager_limit), SIZE_MAX)},
      unexpected_limit_{static_cast<std::size_t>(value_of(setting::unexpected_limit))},
      checks_types_{checks(check_level::cheap)}, wildcards_{checks(check_level::all)
                                                                ? &rank_wildcards.of(owner)
                                                                : nullptr},
      // A message that says its type takes the general way.
      short_limit_{checks_types_ ? no_short_messages
                                 : std::min(eager_if_copied_once_, fabric::cell::inline_bytes)},
      mailboxes_{routes_.mailboxes()}, signature_{fabric::signed_by(number_)}, seal_{process_seal()},
      clock_{job_.clock()}, bell_{owner.bell()},
      spin_policy_{spin_policy_for(job_.threads_on_node(), usable_cores())}, completed_send_{*this} {
    if (clock_.simulated()) {
        spin_policy_ = {.before_yield = 0, .before_sleep = 0, .among_fibers = 0};
    }
    brief_looks_ = job_.oversubscribed() || spin_policy_.before_yield == 0 ? 0 : brief_looks_alone;
    starts_alone_ = track != 0 && owner.engine().starts_alone_;
    if (track != 0) {
        const std::scoped_lock guard{owner.engine().lock_};
        served_by_ = owner.engine().served_by_;
    }
    count_waiting_locked();
    for (const auto &fabric : routes_.fabrics()) {
        if (auto *const inbox = fabric->mailbox_of(number_); inbox != nullptr && inbox_ == nullptr) {
            inbox_ = inbox;
            inbox_carrier_ = fabric.get();
        } else {
            others_.add(*fabric, is_received_by_thread(*fabric, number_));
        }
    }
    only_inbox_ = others_.empty() ? inbox_ : nullptr;
}

engine::~engine() {
    for (const auto &fabric : routes_.fabrics()) {
        if (const fabric::waking how = fabric->wakes(number_); how.how == fabric::waking::by::descriptor) {
            descriptor_watch::forget(how.descriptor);
        }
    }
}

void engine::expect_one_thread(bool one) noexcept {
    one = one && !has_progress_threads(); // which come to the engine, too
    owner_.tracks().each(
        [one](engine &each) { each.starts_alone_ = one && each.others_.empty() && !each.checks_types_; });
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
            other->engine().one_worker_ = all;
        }
    }
}

bool engine::progress() {
    const bool advanced = has_progressors_.load(std::memory_order_relaxed) && advance_progressors();
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

int engine::take_arrived_locked() {
    enter_started_locked();
    int taken = 0;
    if (inbox_ != nullptr) [[likely]] {
        taken = inbox_->drain(
            [this](const fabric::packet_header &header, std::span<const std::byte> payload,
                   const fabric::cell &packet) __attribute__((always_inline)) {
                const envelope what{header.context, header.source, header.tag};
                if (header.kind == static_cast<std::uint8_t>(packet_kind::eager)) [[likely]] {
                    arrived_eager(what, payload);
                } else {
                    arrived_other(packet.sender(), what, packet_manner::of(header), payload);
                }
            },
            read_in_pieces_ == 0 ? poll_batch : 1);
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
    if (hindrances_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
        any |= flush_deferred_locked();
    }
    if (!streams_.empty()) [[unlikely]] {
        any |= push_streams_locked();
    }
    // What is tried again is no progress: else a fiber that waits would let no other run.
    const bool only_again = transfers_ == nullptr && stalled_ != nullptr;
    while (stalled_ != nullptr)
        [[unlikely]] {
            pending_transfer *const again = std::exchange(stalled_, stalled_->next);
            again->next = std::exchange(transfers_, again);
        }
    return (unlock_and_transfer() && !only_again) || any;
}

bool engine::unlock_and_transfer() {
    pending_transfer *transfers = std::exchange(transfers_, nullptr);
    unlock_and_follow_up();
    if (transfers == nullptr) [[likely]] {
        return false;
    }
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
    return true;
}

bool engine::look_for(const request &awaited) {
    return !has_progressors_.load(std::memory_order_relaxed) && lock_.try_lock() && look_locked(awaited);
}

bool engine::look_locked(const request &awaited) {
    // The lock is kept: nobody else need take packets for this rank while it does so itself. Who wants it
    // gets it. Relaxed: it is the lock that orders what other threads complete.
    unsigned looks = 0;
    const unsigned most = brief_looks();
    const auto seen_nothing = [&] {
        return !awaited.complete.load(std::memory_order_relaxed) && transfers_ == nullptr && !wake_wanted_ &&
               waiting_to_leave_ == 0;
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
    if (!progressors_lock_.try_lock()) {
        return false;
    }
    // Taken off while it runs, so the lock is not held meanwhile and new ones can be added.
    progressor *work = std::exchange(progressors_, nullptr);
    has_progressors_.store(false, std::memory_order_relaxed);
    progressors_lock_.unlock();
    const all_news before = news_everywhere();
    bool finished_any = false;
    progressor *unfinished = nullptr;
    progressor **end = &unfinished;
    while (work != nullptr) {
        progressor *const current = std::exchange(work, work->next_);
        current->next_ = nullptr;
        if (current->advance()) {
            *end = current;
            end = &current->next_;
        } else {
            finished_any = true;
        }
    }
    if (unfinished != nullptr) {
        const std::scoped_lock guard{progressors_lock_};
        *end = progressors_;
        progressors_ = unfinished;
        has_progressors_.store(true, std::memory_order_relaxed);
    }
    if (unfinished != nullptr && news_everywhere() != before) {
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

std::uint64_t engine::news() {
    const std::scoped_lock guard{lock_};
    return news_;
}

engine::all_news engine::news_everywhere() const {
    all_news all{};
    owner_.tracks().each([&all](engine &each) { all[static_cast<std::size_t>(each.track_)] = each.news(); });
    return all;
}

void engine::add(progressor &work) {
    const std::scoped_lock guard{progressors_lock_};
    progressor **end = &progressors_;
    while (*end != nullptr) {
        end = &(*end)->next_;
    }
    *end = &work;
    has_progressors_.store(true, std::memory_order_relaxed);
}

void engine::note_news_locked() noexcept {
    ++news_;
    wake_wanted_ = sleepers_ != 0;
}

void engine::complete_locked(request &finished) {
    note_news_locked();
    complete_quietly_locked(finished);
}

void engine::unlock_and_follow_up() {
    const bool wake = std::exchange(wake_wanted_, false);
    doorbell &bell = bell_; // the owner of a request that has been completed may end, and its engine with it
    if (orphans_.empty()) [[likely]] {
        lock_.unlock();
    } else {
        const auto orphans = std::exchange(orphans_, {});
        lock_.unlock();
        for (request *orphan : orphans) {
            delete orphan;
        }
    }
    if (wake) [[unlikely]] {
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

bool engine::drained() {
    const std::scoped_lock guard{lock_};
    return deferred_.empty() && streams_.empty();
}

claim_result engine::try_send_packet(int dest, const fabric::packet_header &header, const void *payload,
                                     std::size_t bytes, const typed_buffer &data, std::size_t data_bytes,
                                     bool solicited) {
    fabric::packet_slot slot{};
    auto &carrier = *routes_.to(dest).carrier;
    const auto result = carrier.try_claim(number_, dest, bytes + data_bytes, solicited, slot);
    if (result != claim_result::claimed) {
        return result;
    }
    *slot.header = header;
    slot.header->payload_bytes = static_cast<std::uint32_t>(bytes + data_bytes);
    if (wildcards_ != nullptr) [[unlikely]] {
        slot.header->remark = own_remark(remark::of(header.remark).elements);
    }
    if (bytes != 0) {
        std::memcpy(slot.payload, payload, bytes);
    }
    if (data_bytes != 0) {
        pack(data, 0, {slot.payload + bytes, data_bytes});
    }
    slot.may_overtake = answers_only(header.kind);
    carrier.publish(dest, slot);
    return result;
}

claim_result engine::try_send_packet(int dest, const fabric::packet_header &header, const void *payload,
                                     std::size_t bytes) {
    return try_send_packet(dest, header, payload, bytes, {}, 0);
}

void engine::send_control(int dest, const fabric::packet_header &header, const void *payload,
                          std::size_t bytes) {
    const std::scoped_lock guard{lock_};
    send_control_locked(dest, header, payload, bytes);
}

void engine::send_control_locked(int dest, const fabric::packet_header &header, const void *payload,
                                 std::size_t bytes) {
    deferred_packet packet{.header = header, .payload = {}, .takes_data = false};
    packet.header.payload_bytes = static_cast<std::uint32_t>(bytes);
    if (bytes != 0) {
        std::memcpy(packet.payload, payload, bytes);
    }
    send_or_defer_locked(dest, packet);
}

void engine::send_or_defer_locked(int dest, deferred_packet &packet) {
    if (!deferred_.any_for(dest)) {
        const auto result = try_send_deferred_locked(dest, packet);
        if (result == claim_result::claimed || result == claim_result::failed) {
            return; // what a failure means for operations is seen to by peer_failed()
        }
    }
    counts_.add(counted::deferred_packets);
    deferred_.push_back(dest, packet);
    count_waiting_locked();
    call_senders();
}

claim_result engine::try_send_deferred_locked(int dest, deferred_packet &packet) {
    fabric::packet_header &header = packet.header;
    if (packet.takes_data) {
        announcement said{};
        std::memcpy(&said, packet.payload, sizeof said);
        if (const send_operation *const send = sends_.find(said.sender); send != nullptr) {
            fabric::packet_header with_data = header;
            with_data.flags |= carries_data;
            const auto result = try_send_packet(dest, with_data, packet.payload, sizeof said, send->buffer,
                                                said.bytes, said.bytes <= most_carried_always);
            if (result != claim_result::congested) {
                return result;
            }
        }
        packet.takes_data = false;
    }
    return try_send_packet(dest, header, packet.payload, header.payload_bytes);
}

bool engine::flush_deferred_locked(const fabric::fabric *only) {
    const std::size_t before = deferred_.size();
    deferred_.serve_each([this, only](int dest, auto &queue) {
        if (only != nullptr && routes_.to(dest).carrier != only) {
            return;
        }
        while (!queue.empty()) {
            const auto result = try_send_deferred_locked(dest, queue.front());
            if (result != claim_result::claimed && result != claim_result::failed) {
                return;
            }
            queue.pop_front();
        }
    });
    if (deferred_.size() == before) {
        return false;
    }
    count_waiting_locked();
    return true;
}

} // namespace lisle::protocol
