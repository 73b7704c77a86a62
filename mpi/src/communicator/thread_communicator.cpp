// SPDX-License-Identifier: Apache-2.0
#include "communicator/thread_communicator.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "base/error.hpp"
#include "base/thread_owned.hpp"
#include "communicator/agreement.hpp"
#include "communicator/child.hpp"
#include "communicator/predefined.hpp"
#include "communicator/shared_attempt.hpp"
#include "execution/rank.hpp"
#include "protocol/engine.hpp"
#include "protocol/once_there_is_memory.hpp"

namespace lisle {

namespace {

struct membership {
    const thread_communicator *whole;
    communicator_ref mine;
};

// Of the calling thread. Fibers share a thread, but each rank has thread_communicators of its own.
using memberships = thread_owned<std::vector<membership>>;

/// A place for one more. Throws std::bad_alloc.
std::vector<membership> &make_room() {
    auto *const own = memberships::own();
    if (own == nullptr) {
        throw std::bad_alloc{};
    }
    own->reserve(own->size() + 1);
    return *own;
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

/// Throws unless each rank gives some threads. @param counts by rank
void check_counts(const std::vector<int> &counts) {
    long size = 0;
    for (std::size_t rank = 0; rank != counts.size(); ++rank) {
        if (counts[rank] < 1 || (size += counts[rank]) > std::numeric_limits<int>::max()) {
            fail(MPI_ERR_ARG, "rank ", rank, " gives ", counts[rank],
                 " threads; each rank gives at least one, and all together fit an int");
        }
    }
}

} // namespace

thread_communicator::thread_communicator(int threads, const errhandler_ref &errors)
    : object{object_kind::thread_communicator}, threads_{threads}, errors_of_parent_{errors} {}

thread_communicator *thread_communicator::make(communicator &parent, int threads) {
    if (parent.inter()) {
        fail(MPI_ERR_COMM, "a communicator of threads is made of an intra-communicator");
    }
    // Whatever level MPI_Init_thread was asked for: from here on several threads of the rank call.
    this_rank().several_call.store(true, std::memory_order_relaxed);
    this_rank().engine().expect_one_thread(false);
    shared_attempt own;
    std::unique_ptr<thread_communicator> made;
    own.attempt([&] { made.reset(new thread_communicator{threads, parent.errors.get()}); });
    const party agreed{parent.channel(message_space::agreement), parent.next_agreement_tag()};
    const std::vector<int> counts = agreed.allgather(threads);
    check_counts(counts);
    std::uint64_t proposal = 0;
    own.attempt([&] {
        if (parent.rank() == 0) {
            proposal =
                next_contexts(static_cast<std::uint64_t>(*std::max_element(counts.begin(), counts.end())));
        }
        made->list_members(parent, counts);
    });
    const std::uint64_t context = own.settle(agreed, proposal);
    check_context(context);
    made->context_ = context;
    return made.release();
}

void thread_communicator::list_members(const communicator &parent, const std::vector<int> &counts) {
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
    const auto *const own = memberships::own();
    if (own == nullptr) {
        return nullptr;
    }
    const auto found = std::ranges::find(*own, this, &membership::whole);
    return found != own->end() ? found->mine.get() : nullptr;
}

void thread_communicator::start() {
    if (member() != nullptr) {
        fail(MPI_ERR_COMM, "this thread is a rank of the communicator already");
    }
    const int place = take_place();
    const auto lane = static_cast<std::uint64_t>(place) * contexts_per_communicator;
    communicator_ref mine;
    // All others count on the thread from here on.
    auto &own = protocol::once_there_is_memory(
        this_rank().engine(), [&]() -> auto & {
            auto &room = make_room();
            mine = communicator_ref::adopt(
                new communicator{context_ + lane, *members_, nullptr, first_rank_ + place});
            return room;
        });
    mine->use_lanes(lanes_);
    mine->stand_behind(handle_of<MPI_Comm>(*this));
    mine->errors.set(errors_of_parent_);
    own.push_back({this, std::move(mine)}); // there is room
}

int thread_communicator::take_place() {
    int before = started_.load(std::memory_order_relaxed);
    for (;;) {
        if (before < threads_) {
            if (started_.compare_exchange_weak(before, before + 1, std::memory_order_acquire,
                                               std::memory_order_relaxed)) {
                return before;
            }
        } else if (finished_.load(std::memory_order_relaxed) == 0) {
            fail(MPI_ERR_COMM, "more than the ", threads_,
                 " threads that MPIX_Threadcomm_init was told of have called MPIX_Threadcomm_start");
        } else { // the last threads are about to end the round before
            look_until([this] { return started_.load(std::memory_order_relaxed) < threads_; });
            before = started_.load(std::memory_order_relaxed);
        }
    }
}

void thread_communicator::finish() {
    communicator *const mine = member();
    if (mine == nullptr) {
        fail(MPI_ERR_COMM, "this thread has not called MPIX_Threadcomm_start");
    }
    mine->attributes.clear(mine->handle());
    finished_.fetch_add(1, std::memory_order_relaxed);
    meet_all(mine->channel(message_space::agreement), mine->next_agreement_tag());
    std::erase_if(*memberships::own(), [this](const membership &each) { return each.whole == this; });
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
