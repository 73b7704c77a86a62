// SPDX-License-Identifier: Apache-2.0
#include "collective/process/in_process.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/caches.hpp"
#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "collective/places.hpp"
#include "collective/steps/peer_buffer.hpp"
#include "collective/wait_for.hpp"
#include "datatype/copy.hpp"
#include "execution/rank.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "world/job.hpp"

namespace lisle::collective {

namespace {

/// Names the in-process collective of a communicator: ranks of several jobs may live in a process, one after
/// the other too.
using shared_name = std::pair<job_id, std::uint64_t>;

/// One that members have joined. All join, as a collective is a call of all of them, but a member may leave
/// before others join: in a scan it does not wait for those behind it. So it ends with the last leave of all.
struct joined_collective final : in_process_collective {
    joined_collective(shared_name known_as, const std::vector<int> &groups, const communicator &comm)
        : in_process_collective{groups, comm}, name{std::move(known_as)}, staying{comm.size()} {}
    shared_name name;
    int staying; ///< members that have not left, whether they have joined or not
};

/// Those of a process.
class directory {
  public:
    joined_collective *join(job &here, const communicator &comm) {
        const shared_name name{here.start().self().job, comm.context()};
        const std::scoped_lock guard{mutex_};
        std::unique_ptr<joined_collective> &known = known_[name];
        if (known == nullptr) {
            known = std::make_unique<joined_collective>(name, workers_of(here, comm.local_group()), comm);
        }
        return known.get();
    }
    void leave(const joined_collective &left) noexcept {
        const std::scoped_lock guard{mutex_};
        const auto known = known_.find(left.name);
        if (--known->second->staying == 0) {
            known_.erase(known);
        }
    }

  private:
    std::mutex mutex_; ///< protects all
    std::map<shared_name, std::unique_ptr<joined_collective>> known_;
};

directory &joined_collectives() {
    static auto *const all = new directory; // never destroyed: threads may still be in the library at exit
    return *all;
}

} // namespace

in_process_collective *join_in_process(const communicator &comm) {
    job &here = this_rank().get_job();
    const bool take_turns =
        !comm.inter() && !comm.of_threads() && comm.size() > 1 && take_turns_here(here, comm.local_group());
    return take_turns ? joined_collectives().join(here, comm) : nullptr;
}

void leave_in_process::operator()(in_process_collective *joined) const noexcept {
    joined_collectives().leave(*static_cast<joined_collective *>(joined));
}

in_process_collective::in_process_collective(const std::vector<int> &groups, const communicator &comm)
    : medium_{*comm.collective.home->routes().to(comm.local_group().member(0)).node},
      groups_(static_cast<std::size_t>(*std::max_element(groups.begin(), groups.end())) + 1),
      contributions_{std::make_unique<contribution[]>(groups.size())},
      descriptors_(groups.size()), in_order_{!one_rank_groups() &&
                                             std::is_sorted(groups.begin(), groups.end())},
      order_(groups.size()) {
    for (int member = 0; const int group : groups) {
        contribution_of(member).group = group;
        group_of(member).members.push_back(member);
        ++member;
    }
    constexpr std::size_t ahead = 2; // a contribution's lines take as long as two ranks to come
    for (worker_group &each : groups_) {
        each.first = each.members.front();
        for (std::size_t i = 0; i < each.members.size(); ++i) {
            contribution_of(each.members[i]).soon = each.members[(i + ahead) % each.members.size()];
        }
    }
}

void in_process_collective::for_lines(int member, auto use) noexcept {
    const auto *const begin = reinterpret_cast<const std::byte *>(&contribution_of(member));
    for (std::size_t offset = 0; offset < sizeof(contribution); offset += line_of_cache) {
        use(begin + offset);
    }
}

bool in_process_collective::fills(worker_group &own) noexcept {
    if (own.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < static_cast<int>(own.members.size())) {
        return false;
    }
    own.arrived.store(0,
                      std::memory_order_relaxed); // nobody else is about to change it before the round ends
    return true;
}

bool in_process_collective::is_last(std::atomic<int> &counter) noexcept {
    if (counter.fetch_add(1, std::memory_order_acq_rel) + 1 < static_cast<int>(groups_.size())) {
        return false;
    }
    counter.store(0, std::memory_order_relaxed);
    return true;
}

int in_process_collective::reduce(const communicator &comm, const op *operation, result_place place) {
    const std::uint64_t round = round_.load(std::memory_order_relaxed);
    worker_group &own = group_of(comm.rank());
    const bool is_full = fills(own);
    if (!is_full || !is_last(full_)) {
        wait_for_end(comm, round, is_full && own.members.size() > 1);
        return error_;
    }
    int error = MPI_SUCCESS;
    if (operation != nullptr) {
        for (const buffer_descriptor &each : descriptors_) {
            __builtin_prefetch(&each);
        }
        // No type: that rank makes another call.
        const MPI_Count bytes = descriptors_[static_cast<std::size_t>(comm.rank())].give.bytes();
        const bool alike =
            std::all_of(descriptors_.begin(), descriptors_.end(), [bytes](const buffer_descriptor &each) {
                return each.give.type != nullptr && each.give.bytes() == bytes;
            });
        if (alike) {
            reduce_all(*operation, descriptors_, place);
        } else {
            error = MPI_ERR_TRUNCATE;
        }
    }
    error_ = error;
    end(comm, round);
    return error;
}

int in_process_collective::exchange(const communicator &comm, const block_view &give, const block_view &take,
                                    int root) {
    const std::uint64_t round = round_.load(std::memory_order_relaxed);
    contribution &own = contribution_of(comm.rank());
    for_lines(own.soon, claim_line); // others have read them
    own.give = give;
    own.take = take;
    own.mismatch.store(MPI_PROC_NULL, std::memory_order_relaxed);
    if (one_rank_groups()) {
        serve_alone(comm, round, root);
    } else {
        own.round = round + 1;
        if (worker_group &here = group_of(comm.rank()); fills(here)) {
            serve(comm, here, round, root);
        } else {
            wait_for_end(comm, round, false);
        }
    }
    return own.mismatch.load(std::memory_order_relaxed);
}

void in_process_collective::serve(const communicator &comm, const worker_group &own, std::uint64_t round,
                                  int root) {
    if (is_last(full_)) {
        all_full_.store(round + 1, std::memory_order_seq_cst);
        wake(comm);
    }
    serve_from(own, own, round, root);
    const auto for_others = [&](auto use) {
        for (const worker_group &other : groups_) {
            if (&other != &own) {
                use(other);
            }
        }
    };
    if (std::any_of(own.members.begin(), own.members.end(),
                    [this](int member) { return contribution_of(member).take.size() != 0; })) {
        const protocol::awaited_members members{comm.context()};
        wait_before_others(
            *comm.collective.home,
            [this, round] { return all_full_.load(std::memory_order_seq_cst) == round + 1; }, &members);
        for_others([this](const worker_group &other) {
            for (const int giver : other.members) {
                for_lines(giver, [](const std::byte *line) { __builtin_prefetch(line); });
            }
        });
        for_others([&](const worker_group &other) { serve_from(other, own, round, root); });
    }
    end_or_wait(comm, own, round);
}

void in_process_collective::serve_alone(const communicator &comm, std::uint64_t round, int root) {
    const int self = comm.rank();
    int before = 0;
    bool root_is_here = false;
    {
        const std::scoped_lock guard{lock_};
        contribution_of(self).round = round + 1;
        root_is_here = root != area_members::everyone && contribution_of(root).round == round + 1;
        before = arrived_alone_;
        order_[static_cast<std::size_t>(before)] = self;
        arrived_alone_ = before + 1 < comm.size() ? before + 1 : 0;
    }
    move(self, self, round);
    const auto move_both_ways = [&](int peer) {
        move(peer, self, round);
        move(self, peer, round);
    };
    if (root == area_members::everyone || root == self) {
        std::for_each_n(order_.begin(), before, move_both_ways);
    } else if (root_is_here) {
        move_both_ways(root);
    }
    end_or_wait(comm, group_of(self), round);
}

void in_process_collective::serve_from(const worker_group &givers, const worker_group &takers,
                                       std::uint64_t round, int root) {
    for (const int taker : takers.members) {
        if (contribution_of(taker).take.size() == 0) {
            continue;
        }
        if (root == area_members::everyone || root == taker) {
            for (const int giver : givers.members) {
                move(giver, taker, round);
            }
        } else if (contribution_of(root).group == contribution_of(givers.members.front()).group) {
            move(root, taker, round);
        }
    }
}

void in_process_collective::move(int giver, int taker, std::uint64_t round) {
    const contribution &from = contribution_of(giver);
    contribution &to = contribution_of(taker);
    // Of another round: they make different calls, which is an error, and what lies there may be gone.
    if (from.give.size() == 0 || to.take.size() == 0 || from.round != round + 1 || to.round != round + 1) {
        return;
    }
    const typed_buffer given = from.give[taker], taken = to.take[giver];
    if (given.bytes() != taken.bytes()) {
        to.mismatch.store(giver, std::memory_order_relaxed);
    } else if (given.type->contiguous() && taken.type->contiguous()) {
        if (given.address != taken.address) {
            copy_bytes(taken.address, given.address, static_cast<std::size_t>(given.bytes()));
        }
    } else if (given.address != taken.address || given.type != taken.type) {
        protocol::once_there_is_memory(this_rank().engine(),
                                       [&] { lisle::copy(given, taken, 0, given.bytes()); });
    }
}

void in_process_collective::end_or_wait(const communicator &comm, const worker_group &own,
                                        std::uint64_t round) {
    if (is_last(served_)) {
        end(comm, round);
    } else {
        wait_for_end(comm, round, own.members.size() > 1);
    }
}

void in_process_collective::wait_for_end(const communicator &comm, std::uint64_t round, bool before_others) {
    const auto has_ended = [this, round] { return round_.load(std::memory_order_seq_cst) != round; };
    protocol::engine &home = *comm.collective.home;
    const protocol::awaited_members members{comm.context()};
    before_others ? wait_before_others(home, has_ended, &members) : wait_for(home, has_ended, &members);
}

void in_process_collective::end(const communicator &comm, std::uint64_t round) {
    round_.store(round + 1, std::memory_order_seq_cst);
    wake(comm);
}

void in_process_collective::wake_all(const communicator &comm) {
    const group &members = comm.local_group();
    for (int member = 0; member < members.size(); ++member) {
        medium_.nudge(members.member(member));
    }
}

void refuse_sizes(int error, MPI_Count bytes) {
    fail(error, "another rank gives another number of bytes than the ", bytes,
         " of this one: counts or types differ among the ranks");
}

void exchange_in_process(const communicator &comm, const block_view &give, const block_view &take, int root) {
    if (const int mismatch = in_process_collective::of(comm)->exchange(comm, give, take, root);
        mismatch != MPI_PROC_NULL) {
        fail(MPI_ERR_TRUNCATE, "rank ", mismatch,
             " gives another number of bytes than this rank expects of it: counts or types differ among the "
             "ranks");
    }
}

} // namespace lisle::collective
