// SPDX-License-Identifier: Apache-2.0
#include "collective/process/meeting.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "collective/selection/selection.hpp"
#include "collective/node/shown.hpp"
#include "collective/node/wait_for.hpp"
#include "datatype/copy.hpp"
#include "base/caches.hpp"
#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "world/job.hpp"
#include "execution/rank.hpp"

namespace lisle::collective {

namespace {

/// True if all members are fibers of this process, or threads of it that share cores.
bool all_take_turns_here(job &here, const communicator &comm) {
    const bool takes_turns = here.workers() != 0 || here.oversubscribed();
    if (comm.inter() || comm.of_threads() || comm.size() < 2 || !takes_turns) {
        return false;
    }
    const fabric::routes &ways = this_rank().engine().routes();
    const std::vector<int> members = comm.local_group().members();
    return fabric::common_node(ways, members) != nullptr &&
           std::all_of(members.begin(), members.end(),
                       [&ways](int member) { return ways.to(member).same_address_space; });
}

/// A table for each worker of members; for threads each its own.
std::vector<int> tables_of(job &here, const communicator &comm) {
    const locality &places = here.places();
    const int workers = here.workers();
    std::map<int, int> table_of_worker;
    std::vector<int> tables;
    for (int rank = 0; rank < comm.size(); ++rank) {
        const int index = comm.local_group().member(rank) - here.first_rank();
        int worker = workers == 0 ? rank : 0;
        while (worker + 1 < workers && places.worker_begin(here.process(), worker + 1) <= index) {
            ++worker;
        }
        const auto next = static_cast<int>(table_of_worker.size());
        tables.push_back(table_of_worker.try_emplace(worker, next).first->second);
    }
    return tables;
}

/// The meetings of a process, by job and context: ranks of several jobs may live in it. A meeting lives as
/// long as a member's communicator, and no member leaves it before all have come.
class directory {
  public:
    std::shared_ptr<meeting> find(job &here, const communicator &comm) {
        const std::scoped_lock guard{mutex_};
        std::weak_ptr<meeting> &known = known_[{&here, comm.context()}];
        std::shared_ptr<meeting> found = known.lock();
        if (found == nullptr) {
            std::erase_if(known_, [&known](const auto &each) {
                return &each.second != &known && each.second.expired();
            });
            found = std::make_shared<meeting>(tables_of(here, comm));
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
        comm.process_companion.kept = meetings().find(here, comm);
    }
    comm.process_companion.sought = true;
}

meeting::meeting(const std::vector<int> &tables)
    : tables_(static_cast<std::size_t>(*std::max_element(tables.begin(), tables.end())) + 1),
      seats_{std::make_unique<seat[]>(tables.size())},
      cards_(tables.size()), in_order_{!all_sit_alone() && std::is_sorted(tables.begin(), tables.end())},
      order_(tables.size()) {
    for (int member = 0; const int table : tables) {
        seat_of(member).table = table;
        table_of(member).members.push_back(member);
        ++member;
    }
    constexpr std::size_t ahead = 2; // a seat's lines take as long as two ranks to come
    for (table &each : tables_) {
        each.first = each.members.front();
        for (std::size_t i = 0; i < each.members.size(); ++i) {
            seat_of(each.members[i]).soon = each.members[(i + ahead) % each.members.size()];
        }
    }
}

void meeting::for_lines(int member, auto use) noexcept {
    const auto *const begin = reinterpret_cast<const std::byte *>(&seat_of(member));
    for (std::size_t offset = 0; offset < sizeof(seat); offset += line_of_cache) {
        use(begin + offset);
    }
}

bool meeting::fills(table &own) noexcept {
    if (own.come.fetch_add(1, std::memory_order_acq_rel) + 1 < static_cast<int>(own.members.size())) {
        return false;
    }
    own.come.store(0, std::memory_order_relaxed); // nobody else is about to change it before the round ends
    return true;
}

bool meeting::is_last(std::atomic<int> &counter) noexcept {
    if (counter.fetch_add(1, std::memory_order_acq_rel) + 1 < static_cast<int>(tables_.size())) {
        return false;
    }
    counter.store(0, std::memory_order_relaxed);
    return true;
}

int meeting::reduce(const communicator &comm, const card &shown, const op *operation, result_place place) {
    const std::uint64_t round = round_.load(std::memory_order_relaxed);
    const auto self = static_cast<std::size_t>(comm.rank());
    claim_line(&cards_[static_cast<std::size_t>(seats_[self].soon)]); // the last one has read them
    cards_[self] = shown;
    table &own = table_of(comm.rank());
    const bool is_full = fills(own);
    if (!is_full || !is_last(full_)) {
        wait_for_end(comm, round, is_full && own.members.size() > 1);
        return error_;
    }
    int error = MPI_SUCCESS;
    if (operation != nullptr) {
        for (const card &each : cards_) {
            __builtin_prefetch(&each);
        }
        // No type: that rank makes another call.
        const bool alike = std::all_of(cards_.begin(), cards_.end(), [&shown](const card &each) {
            return each.give.type != nullptr && each.give.bytes() == shown.give.bytes();
        });
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
    const std::uint64_t round = round_.load(std::memory_order_relaxed);
    seat &own = seat_of(comm.rank());
    for_lines(own.soon, claim_line); // others have read them
    own.give = give;
    own.take = take;
    own.misfit.store(MPI_PROC_NULL, std::memory_order_relaxed);
    if (all_sit_alone()) {
        serve_alone(comm, round, root);
    } else {
        own.round = round + 1;
        if (table &here = table_of(comm.rank()); fills(here)) {
            serve(comm, here, round, root);
        } else {
            wait_for_end(comm, round, false);
        }
    }
    return own.misfit.load(std::memory_order_relaxed);
}

void meeting::serve(const communicator &comm, const table &own, std::uint64_t round, int root) {
    if (is_last(full_)) {
        all_full_.store(round + 1, std::memory_order_seq_cst);
        wake(comm);
    }
    serve_from(own, own, round, root);
    const auto for_others = [&](auto use) {
        for (const table &other : tables_) {
            if (&other != &own) {
                use(other);
            }
        }
    };
    if (std::any_of(own.members.begin(), own.members.end(),
                    [this](int member) { return seat_of(member).take.size() != 0; })) {
        wait_before_others(*comm.collective.home,
                           [this, round] { return all_full_.load(std::memory_order_seq_cst) == round + 1; });
        for_others([this](const table &other) {
            for (const int giver : other.members) {
                for_lines(giver, [](const std::byte *line) { __builtin_prefetch(line); });
            }
        });
        for_others([&](const table &other) { serve_from(other, own, round, root); });
    }
    end_or_wait(comm, own, round);
}

void meeting::serve_alone(const communicator &comm, std::uint64_t round, int root) {
    const int self = comm.rank();
    int before = 0;
    bool root_is_here = false;
    {
        const std::scoped_lock guard{lock_};
        seat_of(self).round = round + 1;
        root_is_here = root != board::everyone && seat_of(root).round == round + 1;
        before = come_alone_;
        order_[static_cast<std::size_t>(before)] = self;
        come_alone_ = before + 1 < comm.size() ? before + 1 : 0;
    }
    move(self, self, round);
    const auto move_both_ways = [&](int peer) {
        move(peer, self, round);
        move(self, peer, round);
    };
    if (root == board::everyone || root == self) {
        std::for_each_n(order_.begin(), before, move_both_ways);
    } else if (root_is_here) {
        move_both_ways(root);
    }
    end_or_wait(comm, table_of(self), round);
}

void meeting::serve_from(const table &givers, const table &takers, std::uint64_t round, int root) {
    for (const int taker : takers.members) {
        if (seat_of(taker).take.size() == 0) {
            continue;
        }
        if (root == board::everyone || root == taker) {
            for (const int giver : givers.members) {
                move(giver, taker, round);
            }
        } else if (seat_of(root).table == seat_of(givers.members.front()).table) {
            move(root, taker, round);
        }
    }
}

void meeting::move(int giver, int taker, std::uint64_t round) {
    const seat &from = seat_of(giver);
    seat &to = seat_of(taker);
    // Of another round: they make different calls, which is an error, and what lies there may be gone.
    if (from.give.size() == 0 || to.take.size() == 0 || from.round != round + 1 || to.round != round + 1) {
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

void meeting::end_or_wait(const communicator &comm, const table &own, std::uint64_t round) {
    if (is_last(served_)) {
        end(comm, round);
    } else {
        wait_for_end(comm, round, own.members.size() > 1);
    }
}

void meeting::wait_for_end(const communicator &comm, std::uint64_t round, bool before_others) {
    const auto has_ended = [this, round] { return round_.load(std::memory_order_seq_cst) != round; };
    protocol::engine &home = *comm.collective.home;
    before_others ? wait_before_others(home, has_ended) : wait_for(home, has_ended);
}

void meeting::end(const communicator &comm, std::uint64_t round) {
    round_.store(round + 1, std::memory_order_seq_cst);
    wake(comm);
}

void meeting::wake(const communicator &comm) {
    const rank &self = this_rank();
    fabric::shared_memory &medium = *self.engine().routes().to(comm.local_group().member(0)).node;
    if (!medium.anyone_watches()) {
        return;
    }
    const group &members = comm.local_group();
    for (int member = 0; member < members.size(); ++member) {
        medium.nudge(members.member(member));
    }
}

bool is_forced_to_meet(const communicator &comm, operation what, MPI_Count bytes) {
    const situation given{.what = what, .bytes = bytes, .ranks = comm.size(), .meeting = true};
    return choose(given) == algorithm::meeting;
}

void meet(communicator &comm, meeting &shared) {
    communicator::count_one(comm.collectives);
    static_cast<void>(shared.reduce(comm, {}, nullptr, result_place::everywhere));
}

void meet(communicator &comm, meeting &shared, operation what, const card &shown, const op &reduction) {
    communicator::count_one(comm.collectives);
    const result_place place = what == operation::scan     ? result_place::prefixes
                               : what == operation::exscan ? result_place::prefixes_before
                                                           : result_place::everywhere;
    if (const int error = shared.reduce(comm, shown, &reduction, place); error != MPI_SUCCESS) {
        fail(error, "another rank gives another number of bytes than the ", shown.take.bytes(),
             " of this one: counts or types differ among the ranks");
    }
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
