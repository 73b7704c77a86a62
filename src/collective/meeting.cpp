// SPDX-License-Identifier: Apache-2.0
#include "collective/meeting.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "collective/check.hpp"
#include "collective/selection.hpp"
#include "collective/shown.hpp"
#include "collective/wait_for.hpp"
#include "datatype/copy.hpp"
#include "runtime/copy_bytes.hpp"
#include "runtime/error.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"

namespace lisle::collective {

namespace {

/// True if all members are fibers of this process, or threads of it that share cores.
bool all_take_turns_here(job &here, const communicator &comm) {
    const job_segment &segment = here.segment();
    const bool takes_turns = segment.worker_count(here.process()) != 0 || here.oversubscribed();
    if (comm.inter() || comm.of_threads() || comm.size() < 2 || !takes_turns) {
        return false;
    }
    bool all = true;
    for (int rank = 0; rank < comm.size() && all && segment.processes() > 1; ++rank) {
        all = here.here(comm.local_group().member(rank));
    }
    return all;
}

/// The meetings of a process, by job and context: ranks of several jobs may live in it. A meeting lives as
/// long as a member's communicator, and no member leaves it before all have come.
class directory {
  public:
    std::shared_ptr<meeting> find(const job &here, const communicator &comm) {
        const std::scoped_lock guard{mutex_};
        std::weak_ptr<meeting> &known = known_[{&here, comm.context()}];
        std::shared_ptr<meeting> found = known.lock();
        if (found == nullptr) {
            std::erase_if(known_, [&known](const auto &each) {
                return &each.second != &known && each.second.expired();
            });
            found = std::make_shared<meeting>(comm.size());
            known = found;
        }
        return found;
    }

  private:
    std::mutex mutex_;
    std::map<std::pair<const job *, std::uint64_t>, std::weak_ptr<meeting>> known_;
};

directory &meetings() {
    static auto *const all = new directory; // never destroyed: threads may still be in the library at exit
    return *all;
}

} // namespace

void meeting::seek(const communicator &comm) {
    job &here = this_rank().get_job();
    if (all_take_turns_here(here, comm)) {
        comm.shared_meeting = meetings().find(here, comm);
    }
    comm.meeting_sought = true;
}

meeting::meeting(int members)
    : order_(static_cast<std::size_t>(members)),
      cards_(static_cast<std::size_t>(members)), seats_{std::make_unique<seat[]>(
                                                     static_cast<std::size_t>(members))} {}

int meeting::reduce(const communicator &comm, const card &shown, const op *operation, result_place place) {
    std::uint64_t round = 0;
    bool last = false;
    {
        const std::scoped_lock guard{lock_};
        round = round_.load(std::memory_order_relaxed);
        cards_[static_cast<std::size_t>(comm.rank())] = shown;
        last = ++come_ == comm.size();
    }
    if (!last) {
        wait_for_end(comm, round);
        return error_;
    }
    int error = MPI_SUCCESS;
    if (operation != nullptr) {
        const MPI_Count bytes = cards_.front().give.bytes();
        const bool alike = std::all_of(cards_.begin(), cards_.end(),
                                       [bytes](const card &each) { return each.give.bytes() == bytes; });
        if (alike) {
            reduce_all(*operation, cards_, place);
        } else {
            error = MPI_ERR_TRUNCATE;
        }
    }
    error_ = error;
    end(comm, round);
    return error;
}

int meeting::exchange(const communicator &comm, const block_view &give, const block_view &take, int root) {
    const int self = comm.rank();
    seat &own = seat_of(self);
    std::uint64_t round = 0;
    int before = 0;
    bool root_is_here = false;
    {
        const std::scoped_lock guard{lock_};
        round = round_.load(std::memory_order_relaxed);
        own.give = give;
        own.take = take;
        own.round = round + 1;
        own.misfit.store(MPI_PROC_NULL, std::memory_order_relaxed);
        root_is_here = root != board::everyone && seat_of(root).round == round + 1;
        before = come_++;
        order_[static_cast<std::size_t>(before)] = self;
    }
    move(self, self);
    const auto move_both_ways = [&](int peer) {
        move(peer, self);
        move(self, peer);
    };
    if (root == board::everyone || root == self) {
        std::for_each_n(order_.begin(), before, move_both_ways);
    } else if (root_is_here) {
        move_both_ways(root);
    }
    if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == comm.size()) {
        done_.store(0, std::memory_order_relaxed);
        end(comm, round);
    } else {
        wait_for_end(comm, round);
    }
    return own.misfit.load(std::memory_order_relaxed);
}

void meeting::move(int giver, int taker) {
    const seat &from = seat_of(giver);
    seat &to = seat_of(taker);
    // Of another round: they make different calls, which is an error, and what lies there may be gone.
    if (from.give.size() == 0 || to.take.size() == 0 || from.round != to.round) {
        return;
    }
    const typed_buffer given = from.give[taker], taken = to.take[giver];
    if (given.bytes() != taken.bytes()) {
        to.misfit.store(giver, std::memory_order_relaxed);
    } else if (given.type->contiguous() && taken.type->contiguous()) {
        if (given.address != taken.address) {
            copy_bytes(taken.address, given.address, static_cast<std::size_t>(given.bytes()));
        }
    } else if (given.address != taken.address || given.type != taken.type) {
        lisle::copy(given, taken, 0, given.bytes());
    }
}

void meeting::wait_for_end(const communicator &comm, std::uint64_t round) {
    wait_for(*comm.collective.home,
             [this, round] { return round_.load(std::memory_order_seq_cst) != round; });
}

void meeting::end(const communicator &comm, std::uint64_t round) {
    come_ = 0; // all have come, so nobody else is about to change it
    round_.store(round + 1, std::memory_order_seq_cst);
    const rank &self = this_rank();
    fabric::fabric &medium = self.get_job().fabric_to(self.number());
    const group &members = comm.local_group();
    for (int member = 0; member < members.size(); ++member) {
        medium.nudge(members.member(member));
    }
}

namespace {

/// The meeting, if the ranks have one and it is chosen.
meeting *chosen(const communicator &comm, operation what, MPI_Count bytes) {
    meeting *const shared = meeting::of(comm);
    const bool possible = shared != nullptr && !checking();
    return possible && choose({.what = what, .bytes = bytes, .ranks = comm.size(), .meeting = true}) ==
                           algorithm::meeting
               ? shared
               : nullptr;
}

} // namespace

bool meet(communicator &comm) {
    meeting *const shared = chosen(comm, operation::barrier, 0);
    if (shared == nullptr) {
        return false;
    }
    communicator::count_one(comm.collectives);
    static_cast<void>(shared->reduce(comm, {}, nullptr, result_place::everywhere));
    return true;
}

bool meet(communicator &comm, operation what, const typed_buffer &give, const typed_buffer &take,
          const op &reduction) {
    meeting *const shared = reduction.predefined() ? chosen(comm, what, take.bytes()) : nullptr;
    if (shared == nullptr) {
        return false;
    }
    reduction.check(*take.type);
    communicator::count_one(comm.collectives);
    const result_place place = what == operation::scan     ? result_place::prefixes
                               : what == operation::exscan ? result_place::prefixes_before
                                                           : result_place::everywhere;
    const int error = shared->reduce(comm, {.give = give, .take = take}, &reduction, place);
    if (error != MPI_SUCCESS) {
        fail(error, "another rank gives another number of bytes than the ", take.bytes(),
             " of this one: counts or types differ among the ranks");
    }
    return true;
}

void meet(communicator &comm, const block_view &give, const block_view &take, int root) {
    communicator::count_one(comm.collectives);
    if (const int misfit = meeting::of(comm)->exchange(comm, give, take, root); misfit != MPI_PROC_NULL) {
        fail(MPI_ERR_TRUNCATE, "rank ", misfit,
             " gives another number of bytes than this rank expects of it: counts or types differ among the "
             "ranks");
    }
}

} // namespace lisle::collective
