// SPDX-License-Identifier: Apache-2.0
// Progress and completion. See engine.hpp.
#include "protocol/engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>

#include "datatype/copy.hpp"
#include "protocol/tracks.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "execution/usable_cores.hpp"

namespace lisle::protocol {

namespace {

// Packets taken in one go: enough to amortise the lock, few enough that others get it soon.
constexpr int poll_batch = 32;
// Looks at the own mailbox alone, each a few instructions, before the general way to wait begins: about two
// microseconds, the time of an answer from a rank that runs. Only where a rank may keep its core.
constexpr unsigned brief_looks_alone = 1000;
// Of its time a rank that waits for local messages spends at most one part in so many on fabrics that have
// to be asked and have nothing; and it reads the clock for that once in so many looks.
constexpr std::int64_t idle_share = 64;
constexpr unsigned looks_between_clocks = 64;
// Longest messages sent unasked, measured with bench/: within a process one copy is saved above this.
constexpr std::int64_t eager_here_default = 4096;

std::size_t eager_limit_from(std::int64_t set, std::int64_t standard, std::size_t largest) {
    return std::min(static_cast<std::size_t>(set >= 0 ? set : standard), largest);
}

fabric::routes &routes_on(fabric::routes_by_track &all, int track) {
    fabric::routes *const found = all.find(track);
    if (found == nullptr) {
        fail(MPI_ERR_OTHER, "a communicator is on track ", track,
             ", which not all fabrics in use here have: set LISLE_TRACKS=1 for all processes of the job");
    }
    return *found;
}

} // namespace

engine::engine(fabric::routes_by_track &routes, rank &owner, int track)
    : job_{owner.get_job()}, owner_{owner}, number_{owner.number()}, track_{track},
      routes_{routes_on(routes, track)}, bell_{owner.bell()},
      spin_policy_{spin_policy_for(job_.threads_on_node(), usable_cores())}, completed_send_{*this} {
    const std::size_t largest = routes_.to(number_).limits().largest_payload;
    const std::int64_t set = value_of(setting::eager_limit);
    eager_here_ = eager_limit_from(set, eager_here_default, largest);
    eager_elsewhere_ = eager_limit_from(set, static_cast<std::int64_t>(largest), largest);
    unexpected_limit_ = static_cast<std::size_t>(value_of(setting::unexpected_limit));
    brief_looks_ = job_.oversubscribed() || spin_policy_.before_yield == 0 ? 0 : brief_looks_alone;
    short_limit_ = std::min({eager_here_, eager_elsewhere_, fabric::cell::inline_bytes});
    mailboxes_ = routes_.mailboxes();
    starts_alone_ = track != 0 && owner.engine().starts_alone_;
    for (const auto &fabric : routes_.fabrics()) {
        if (auto *const inbox = fabric->mailbox_of(number_); inbox != nullptr && inbox_ == nullptr) {
            inbox_ = inbox;
        } else {
            others_.push_back(fabric.get());
        }
    }
}

void engine::expect_one_thread(bool one) noexcept {
    owner_.tracks().each([one](engine &each) { each.starts_alone_ = one; });
    if (job_.rank_count() == 1) {
        lock_.serve_one_thread(one);
        return;
    }
    // Threads of other ranks of the process come too, and may be here already. But fibers of one worker are
    // one thread together, if none of them has others that call; and none holds a lock while another runs.
    if (job_.workers() != 1) {
        return;
    }
    const bool before = lock_.serves_one_thread();
    const bool all = job_.promise_one_thread(one && fiber_worker::current() != nullptr);
    if (all == before) {
        return;
    }
    for (int rank = job_.first_rank(); job_.here(rank); ++rank) {
        if (lisle::rank *const other = job_.find(rank); other != nullptr) {
            other->engine().lock_.serve_one_thread(all);
            other->engine().one_worker_ = all && mailboxes_[rank] != nullptr;
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
    enter_started_locked();
    int taken = 0;
    if (inbox_ != nullptr) [[likely]] {
        taken = inbox_->drain(
            [this](const fabric::packet_header &header, std::span<const std::byte> payload)
                __attribute__((always_inline)) {
                    const envelope what{header.context, header.source, header.tag};
                    const auto kind = static_cast<packet_kind>(header.kind);
                    if (kind == packet_kind::eager) [[likely]] {
                        arrived_eager(what, payload);
                    } else {
                        arrived_other(what, kind, header.flags, payload);
                    }
                },
            read_in_pieces_ == 0 ? poll_batch : 1);
    }
    if (!others_.empty()) [[unlikely]] {
        taken += poll_others_locked();
    }
    if (taken != 0) {
        note_news_locked();
    }
    return taken;
}

int engine::poll_others_locked() {
    const auto clock = [] { return std::chrono::steady_clock::now().time_since_epoch().count(); };
    if (inbox_ != nullptr && passes_over_others_ != 0) {
        --passes_over_others_;
        return 0;
    }
    const std::int64_t before = clock();
    int taken = 0;
    if (inbox_ == nullptr || before >= others_due_) {
        for (fabric::fabric *const other : others_) {
            taken += other->poll(number_, *this, poll_batch);
        }
        if (taken == 0) {
            const std::int64_t after = clock();
            others_due_ = after + (after - before) * idle_share;
        }
    }
    passes_over_others_ = taken == 0 ? looks_between_clocks : 0;
    return taken;
}

bool engine::move_messages() {
    if (!lock_.try_lock()) {
        return false;
    }
    bool any = take_packets_locked() != 0;
    if (deferred_count_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
        any |= flush_deferred_locked();
    }
    if (!streams_.empty()) [[unlikely]] {
        any |= push_streams_locked();
    }
    return unlock_and_transfer() || any;
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
        if (current.what == pending_transfer::sort::joined) {
            join(current);
            continue;
        }
        auto &receive = static_cast<receive_operation &>(current);
        if (receive.what == pending_transfer::sort::stored) [[unlikely]] {
            receive.what = pending_transfer::sort::announced;
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
    while (seen_nothing() && inbox_ != nullptr) {
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
    // Acquire: pairs with the release of whoever completed it, and has forgotten it since.
    if (!freed.complete.load(std::memory_order_acquire)) {
        const std::scoped_lock guard{lock_};
        if (freed.active && !freed.complete.load(std::memory_order_relaxed)) {
            freed.orphaned = true;
            return;
        }
    }
    delete &freed;
}

bool engine::drained() {
    const std::scoped_lock guard{lock_};
    return deferred_.empty() && streams_.empty();
}

bool engine::try_send_packet(int dest, const fabric::packet_header &header, const void *payload,
                             std::size_t bytes, const typed_buffer *data, std::size_t data_bytes) {
    fabric::packet_slot slot{};
    auto &fabric = routes_.to(dest);
    if (fabric.try_claim(dest, bytes + data_bytes, true, slot) != fabric::claim_result::claimed) {
        return false;
    }
    *slot.header = header;
    slot.header->payload_bytes = static_cast<std::uint32_t>(bytes + data_bytes);
    if (bytes != 0) {
        std::memcpy(slot.payload, payload, bytes);
    }
    if (data_bytes != 0) {
        pack(*data, 0, {slot.payload + bytes, data_bytes});
    }
    fabric.publish(dest, slot);
    return true;
}

void engine::send_control_locked(int dest, const fabric::packet_header &header, const void *payload,
                                 std::size_t bytes) {
    if (deferred_.empty() && try_send_packet(dest, header, payload, bytes, nullptr, 0)) {
        return;
    }
    counts_.add(counted::deferred_packets);
    auto &kept = deferred_.emplace_back(deferred_packet{dest, header});
    kept.header.payload_bytes = static_cast<std::uint32_t>(bytes);
    if (bytes != 0) {
        std::memcpy(kept.payload, payload, bytes);
    }
    count_waiting_locked();
}

bool engine::flush_deferred_locked() {
    // In order for each destination; a full mailbox does not hold up packets to others.
    std::vector<int> full;
    std::deque<deferred_packet> kept;
    for (auto &packet : deferred_) {
        const bool waits = std::find(full.begin(), full.end(), packet.dest) != full.end();
        if (waits || !try_send_packet(packet.dest, packet.header, packet.payload, packet.header.payload_bytes,
                                      nullptr, 0)) {
            if (!waits) {
                full.push_back(packet.dest);
            }
            kept.push_back(packet);
        }
    }
    const bool any = kept.size() != deferred_.size();
    if (any) {
        deferred_ = std::move(kept);
        count_waiting_locked();
    }
    return any;
}

} // namespace lisle::protocol
