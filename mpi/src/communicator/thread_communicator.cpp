// SPDX-License-Identifier: Apache-2.0
#include "communicator/thread_communicator.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "communicator/agreement.hpp"
#include "communicator/child.hpp"
#include "communicator/predefined.hpp"
#include "execution/rank.hpp"
#include "protocol/engine.hpp"

namespace lisle {

namespace {

struct membership {
    const thread_communicator *whole;
    communicator_ref mine;
};

// Of the calling thread. Fibers share a thread, but each rank has thread_communicators of its own.
std::vector<membership> &memberships() {
    static thread_local std::vector<membership> of_this_thread [[gnu::tls_model("initial-exec")]];
    return of_this_thread;
}

/// Makes progress and lets others run until `done()`.
template <class Predicate> void look_until(Predicate done) {
    protocol::engine &mine = this_rank().engine();
    while (!done()) {
        if (!mine.progress()) {
            mine.found_nothing();
        }
    }
}

} // namespace

thread_communicator::thread_communicator(communicator &parent, int threads)
    : object{object_kind::thread_communicator}, threads_{threads}, errors_of_parent_{parent.errors.get()} {
    if (parent.inter()) {
        fail(MPI_ERR_COMM, "a communicator of threads is made of an intra-communicator");
    }
    // Whatever level MPI_Init_thread was asked for: from here on several threads of the rank call.
    this_rank().several_call.store(true, std::memory_order_relaxed);
    this_rank().engine().expect_one_thread(false);
    const party agreed{parent.channel(message_space::agreement), parent.next_agreement_tag()};
    const std::vector<int> counts = agreed.allgather(threads);
    long size = 0;
    for (int rank = 0; rank < parent.size(); ++rank) {
        const int count = counts[static_cast<std::size_t>(rank)];
        if (count < 1 || (size += count) > std::numeric_limits<int>::max()) {
            fail(MPI_ERR_ARG, "rank ", rank, " gives ", count,
                 " threads; each rank gives at least one, and all together fit an int");
        }
    }
    context_ =
        parent.rank() == 0
            ? next_contexts(static_cast<std::uint64_t>(*std::max_element(counts.begin(), counts.end())))
            : 0;
    agreed.broadcast(context_);
    check_context(context_);
    std::vector<int> members;
    std::vector<std::uint64_t> lanes;
    for (int rank = 0; rank < parent.size(); ++rank) {
        if (rank == parent.rank()) {
            first_rank_ = static_cast<int>(members.size());
        }
        for (int i = 0; i < counts[static_cast<std::size_t>(rank)]; ++i) {
            members.push_back(parent.local_group().member(rank));
            lanes.push_back(static_cast<std::uint64_t>(i) * contexts_per_communicator);
        }
    }
    members_ = group_ref::adopt(new group{std::move(members)});
    lanes_ = std::make_shared<const std::vector<std::uint64_t>>(std::move(lanes));
}

communicator *thread_communicator::member() const noexcept {
    for (const membership &each : memberships()) {
        if (each.whole == this) {
            return each.mine.get();
        }
    }
    return nullptr;
}

void thread_communicator::start() {
    if (member() != nullptr) {
        fail(MPI_ERR_COMM, "this thread is a rank of the communicator already");
    }
    int before = started_.load(std::memory_order_relaxed);
    for (;;) {
        if (before < threads_) {
            if (started_.compare_exchange_weak(before, before + 1, std::memory_order_acquire,
                                               std::memory_order_relaxed)) {
                break;
            }
        } else if (finished_.load(std::memory_order_relaxed) == 0) {
            fail(MPI_ERR_COMM, "more than the ", threads_,
                 " threads that MPIX_Threadcomm_init was told of have called MPIX_Threadcomm_start");
        } else { // the last threads are about to end the round before
            look_until([this] { return started_.load(std::memory_order_relaxed) < threads_; });
            before = started_.load(std::memory_order_relaxed);
        }
    }
    const auto lane = static_cast<std::uint64_t>(before) * contexts_per_communicator;
    auto mine =
        communicator_ref::adopt(new communicator{context_ + lane, *members_, nullptr, first_rank_ + before});
    mine->use_lanes(lanes_);
    mine->stand_behind(handle_of<MPI_Comm>(*this));
    mine->errors.set(errors_of_parent_);
    memberships().push_back({this, std::move(mine)});
}

void thread_communicator::finish() {
    communicator *const mine = member();
    if (mine == nullptr) {
        fail(MPI_ERR_COMM, "this thread has not called MPIX_Threadcomm_start");
    }
    mine->attributes.clear(mine->handle());
    finished_.fetch_add(1, std::memory_order_relaxed);
    meet_all(mine->channel(message_space::agreement), mine->next_agreement_tag());
    std::erase_if(memberships(), [this](const membership &each) { return each.whole == this; });
    // The last one of the process opens the next round.
    if (ended_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
        ended_.store(0, std::memory_order_relaxed);
        finished_.store(0, std::memory_order_relaxed);
        started_.store(0, std::memory_order_release);
    }
}

communicator *find_thread_member(MPI_Comm handle) noexcept {
    const auto *const whole = object_of<thread_communicator>(handle);
    return whole != nullptr ? whole->member() : nullptr;
}

} // namespace lisle
