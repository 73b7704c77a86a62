// SPDX-License-Identifier: Apache-2.0
#include "collective/meeting.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "collective/check.hpp"
#include "collective/selection.hpp"
#include "collective/shown.hpp"
#include "protocol/engine.hpp"
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

meeting *meeting::of(const communicator &comm) {
    if (!comm.meeting_sought) [[unlikely]] {
        job &here = this_rank().get_job();
        if (all_take_turns_here(here, comm)) {
            comm.shared_meeting = meetings().find(here, comm);
        }
        comm.meeting_sought = true;
    }
    return comm.shared_meeting.get();
}

meeting::meeting(int members) : seats_(static_cast<std::size_t>(members)) {}

int meeting::meet(const communicator &comm, const card &shown, const op *operation) {
    rank &self = this_rank();
    std::uint64_t round = 0;
    bool last = false;
    {
        const std::scoped_lock guard{lock_};
        round = round_.load(std::memory_order_relaxed);
        seats_[static_cast<std::size_t>(comm.rank())] = shown;
        last = ++come_ == comm.size();
        if (last) {
            come_ = 0;
            end_round(operation);
            round_.store(round + 1, std::memory_order_seq_cst);
        }
    }
    if (!last) {
        protocol::wait_until(self, [this, round] { return round_.load(std::memory_order_seq_cst) != round; });
        return error_;
    }
    const int error = error_; // before others may end the next round
    job &here = self.get_job();
    fabric::fabric &medium = here.fabric_to(self.number());
    const group &members = comm.local_group();
    for (int member = 0; member < members.size(); ++member) {
        medium.nudge(members.member(member));
    }
    return error;
}

void meeting::end_round(const op *operation) {
    error_ = MPI_SUCCESS;
    if (operation == nullptr) {
        return;
    }
    const MPI_Count bytes = seats_.front().give.bytes();
    for (const card &seat : seats_) {
        if (seat.give.bytes() != bytes) {
            error_ = MPI_ERR_TRUNCATE;
            return;
        }
    }
    reduce_to_all(*operation, seats_);
}

bool meet(communicator &comm) {
    meeting *const shared = meeting::of(comm);
    if (shared == nullptr || checking() ||
        choose({.what = operation::barrier, .ranks = comm.size(), .meeting = true}) != algorithm::meeting) {
        return false;
    }
    communicator::count_one(comm.collectives);
    static_cast<void>(shared->meet(comm, {}, nullptr));
    return true;
}

bool meet(communicator &comm, const typed_buffer &give, const typed_buffer &take, const op &reduction) {
    meeting *const shared = meeting::of(comm);
    if (shared == nullptr || checking() || !reduction.predefined() ||
        choose(
            {.what = operation::allreduce, .bytes = take.bytes(), .ranks = comm.size(), .meeting = true}) !=
            algorithm::meeting) {
        return false;
    }
    reduction.check(*take.type);
    communicator::count_one(comm.collectives);
    const int error = shared->meet(comm, {.give = give, .take = take}, &reduction);
    if (error != MPI_SUCCESS) {
        fail(error, "another rank gives another number of bytes than the ", take.bytes(),
             " of this one: counts or types differ among the ranks");
    }
    return true;
}

} // namespace lisle::collective
