// SPDX-License-Identifier: Apache-2.0
// How an engine is put together, and what changes while it lives. See engine.hpp.
#include "protocol/engine.hpp"

#include <mutex>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "fabric/local/published_receives.hpp"
#include "fabric/shared_memory.hpp"
#include "protocol/core/by_thread.hpp"
#include "protocol/progress/descriptor_watch.hpp"
#include "protocol/tracks.hpp"

namespace lisle::protocol {

namespace {

const fabric::routes &routes_on(fabric::routes_by_track &all, int track) {
    const fabric::routes *const found = all.find(track);
    if (found == nullptr) {
        fail(MPI_ERR_OTHER, "a communicator is on track ", track,
             ", which not all fabrics in use here have: set LISLE_TRACKS=1 for all processes of the job");
    }
    return *found;
}

/// The observer in front. Both may be null.
message_observer *first_of(message_observer *front, message_observer *rest) noexcept {
    return front != nullptr ? front : rest;
}

void forget_descriptor(const fabric::packet_source &of, int self) noexcept {
    if (const fabric::waking how = of.wakes(self); how.how == fabric::waking::by::descriptor) {
        descriptor_watch::forget(how.descriptor);
    }
}

} // namespace

engine::engine(fabric::routes_by_track &routes, rank &owner, int track, const rank_waiters &all)
    : checks_{message_checks::make_for(owner)}, log_{message_log::make_for(owner, checks_.get())},
      orders_{message_orders::make_for(owner, routes_on(routes, track), first_of(log_.get(), checks_.get()))},
      core_{this, routes_on(routes, track), owner, track,
            first_of(orders_.get(), first_of(log_.get(), checks_.get()))},
      out_{core_, failed_}, receives_{core_, out_.unexpected_limit()}, in_{core_, receives_},
      sends_{core_, out_, failed_}, transfers_{core_, receives_, out_, in_, failed_},
      mover_{core_, {receives_, in_, out_, sends_, transfers_}, *this}, waits_{core_, mover_, all},
      fibers_{core_, {receives_, in_, out_, sends_, transfers_}, waits_}, failures_{core_, failed_},
      completed_send_{*this} {
    // Where all ranks are of one process, senders need no receives to be published.
    fabric::shared_memory *const node = this->routes().to(core_.self.number).node;
    if (core_.observer == nullptr && in_.has_mailbox() && node != nullptr &&
        core_.self.job.rank_count() != core_.self.job.size()) {
        receives_.publish_in(node->receives_of(core_.self.number), *in_.mailbox());
    }
    if (track != 0) { // as the first one
        engine &first = owner.engine();
        receives_.expect_one_thread(first.receives_.expects_one_thread());
        const std::scoped_lock guard{first.core_.bare_lock()};
        core_.have_senders(first.core_.senders());
    }
}

engine::~engine() {
    for (const fabric::packet_source *const each : routes().fabrics()) {
        forget_descriptor(*each, core_.self.number);
    }
}

void engine::use_new_fabrics() {
    {
        const std::scoped_lock guard{core_};
        receives_.enter_started_locked();
        if (receives_.expects_one_thread()) { // else another thread may be about to start a receive
            receives_.expect_one_thread(false);
        }
        for (fabric::fabric *const each : routes().fabrics()) {
            if (each != in_.source() && !each->is_over() && !core_.polled.has(*each)) {
                core_.polled.add(*each, is_received_by_thread(*each, core_.self.number));
            }
        }
        in_.note_fabrics();
    }
    core_.self.owner.bell().ring(); // threads of the rank that sleep have not armed them
}

void engine::drop_fabric(const fabric::packet_source &gone) {
    const std::scoped_lock guard{core_.bare_lock()};
    core_.polled.drop(gone);
    forget_descriptor(gone, core_.self.number);
}

void engine::expect_one_thread(bool one) noexcept {
    one = one && !has_progress_threads(); // which come to the engine, too
    job &job = core_.self.job;
    core_.self.owner.tracks().each([one](engine &each) {
        each.core_.counts.expect_one_thread(one);
        const message_observer *const observer = each.core_.observer;
        each.receives_.expect_one_thread(one && each.core_.polled.empty() &&
                                         (observer == nullptr || !observer->follows_each_message()));
    });
    if (job.rank_count() == 1) {
        core_.bare_lock().serve_one_thread(one);
        return;
    }
    // Threads of other ranks of the process come too, and may be here already. But fibers of one worker are
    // one thread together, if none of them has others that call; and none holds a lock while another runs.
    if (job.workers() != 1) {
        return;
    }
    // Nor may one hand messages to another past a route that says packets only: each looks at its own route
    // before it promises.
    if (const int own = core_.self.number;
        routes().to(own).mailbox == nullptr || !routes().to(own).same_address_space) {
        return;
    }
    const bool before = core_.bare_lock().serves_one_thread();
    const bool all = job.promise_one_thread(one && fiber_worker::current() != nullptr);
    if (all == before) {
        return;
    }
    for (int rank = job.first_rank(); job.here(rank); ++rank) {
        if (lisle::rank *const other = job.find(rank); other != nullptr) {
            other->engine().core_.bare_lock().serve_one_thread(all);
            // Who compares types does so where messages arrive.
            other->engine().fibers_.serve_one_worker(all && core_.observer == nullptr);
        }
    }
}

} // namespace lisle::protocol
