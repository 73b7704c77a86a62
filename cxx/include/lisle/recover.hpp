// SPDX-License-Identifier: Apache-2.0
// Work that goes on when ranks die: the survivors give up what they do, agree, make a communicator without
// the dead, and begin again at the last checkpoint, which has what the dead had. For jobs that lislerun
// --with-ft keeps alive.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "lisle/communicator.hpp"
#include "lisle/environment.hpp"

#if !LISLE_USE_EXTENSIONS || !LISLE_USE_EXCEPTIONS
#error "lisle/recover.hpp needs Lisle's extension calls, and exceptions"
#include <lisle/nothing after the error above>
#endif

namespace lisle {

namespace detail {
/// The numbers that ranks have in another group.
inline std::vector<int> numbers_in(const group &of, const group &ranks) {
    std::vector<int> numbers(static_cast<std::size_t>(ranks.size()));
    std::iota(numbers.begin(), numbers.end(), 0);
    return ranks.translate(numbers, of);
}
} // namespace detail

/// The ranks of a communicator that the caller knows to have failed.
[[nodiscard]] inline std::vector<int> failed_ranks(const communicator &comm) {
    MPI_Group failed = MPI_GROUP_NULL;
    detail::check(MPIX_Comm_get_failed(comm.native(), &failed), "MPIX_Comm_get_failed");
    const owned<group> dead{failed};
    return detail::numbers_in(comm.group(), dead);
}

/// What recover() keeps of a job's state: each rank has some pieces of it, and a copy of those of another
/// rank, in another process if there is one. Piece can be sent, alone and in a vector.
template <class Piece> class checkpoint {
  public:
    explicit checkpoint(Piece piece) { pieces.push_back(std::move(piece)); }

    /// What this rank works on: its own piece, and those of ranks that have died.
    std::vector<Piece> pieces;

    /// Makes a checkpoint of all ranks' pieces. Collective.
    void save(const communicator &comm) {
        const int size = comm.size();
        const int rank = comm.rank();
        if (versions_.empty() || versions_.back().home->size() != size) {
            spare_.home = std::make_shared<const owned<group>>(comm.group());
            spare_.distance = distance_to_copy(comm);
        } else {
            spare_.home = versions_.back().home;
            spare_.distance = versions_.back().distance;
        }
        spare_.number = newest() + 1;
        spare_.own = pieces;
        if (size > 1) {
            auto sending = comm.isend(borrow(pieces), (rank + spare_.distance) % size, copy_tag);
            receive_copy(comm, (rank + size - spare_.distance) % size);
            sending.wait();
        }
        // A version that any rank goes beyond has come to all, so two are enough.
        comm.barrier();
        if (versions_.size() == 2) {
            std::swap(spare_, versions_.front()); // whose memory the next version uses
            std::swap(versions_.front(), versions_.back());
        } else {
            versions_.push_back(std::exchange(spare_, version{}));
        }
    }
    /// Goes back to the newest version that all ranks of `left` have, and takes the pieces of the dead whose
    /// copies are here. Collective. @return why that cannot be done, the same at all ranks, or null
    [[nodiscard]] const char *restore(const communicator &left) {
        const long common = left.allreduce(newest(), minimum{});
        if (common == 0)
            return "a rank has failed before the first checkpoint was made";
        while (newest() > common)
            versions_.pop_back();
        const version &last = versions_.back();
        const group &home = *last.home;
        const std::vector<int> lost = detail::numbers_in(home, home - left.group());
        const int size = home.size();
        const auto is_lost = [&](int rank) {
            return std::find(lost.begin(), lost.end(), rank) != lost.end();
        };
        for (const int dead : lost)
            if (is_lost((dead + last.distance) % size))
                return "a rank and the one that had the copy of its checkpoint have both failed";
        pieces = last.own;
        if (is_lost((home.rank() + size - last.distance) % size))
            pieces.insert(pieces.end(), last.copied.begin(), last.copied.end());
        save(left);
        return nullptr;
    }

  private:
    static constexpr int copy_tag = 32001;
    struct version {
        long number = 0;
        std::shared_ptr<const owned<group>> home; ///< the ranks that made it
        int distance = 1;                         ///< between a rank and the one that has its copy
        std::vector<Piece> own;
        std::vector<Piece> copied; ///< those of the rank so far before this one
    };

    [[nodiscard]] long newest() const noexcept { return versions_.empty() ? 0 : versions_.back().number; }
    /// How far away copies go: to a rank of another address space, the same way for all ranks.
    static int distance_to_copy(const communicator &comm) {
        const int size = comm.size();
        for (int distance = 1; distance < size; ++distance)
            if (comm.allreduce(!comm.shares_memory((comm.rank() + distance) % size), std::logical_and<>{}))
                return distance;
        return 1;
    }

    void receive_copy(const communicator &comm, int source) {
        if constexpr (direct<Piece>)
            comm.receive_into(resized(spare_.copied), source, copy_tag);
        else
            comm.receive_into(spare_.copied, source, copy_tag);
    }

    std::vector<version> versions_; ///< the last two, the older first
    version spare_;                 ///< the next one, as far as it is made
};

namespace detail {

/// True if ranks have died, or another rank gives up because of that, so that any error may come of it.
inline bool comes_of_failure(const communicator &comm, const error &problem) {
    int revoked = 0;
    MPIX_Comm_is_revoked(comm.native(), &revoked);
    return revoked != 0 || problem.error_class() == MPIX_ERR_PROC_FAILED ||
           problem.error_class() == MPIX_ERR_REVOKED || !failed_ranks(comm).empty();
}

/// What a rank says of an attempt; what all say is the and of it.
enum attempt_end : int { attempt_thrown = 0, attempt_may_go_on = 1, attempt_done = 2 };

/// A communicator of the members that have not failed.
inline owned<communicator> survivors(const communicator &comm) {
    MPI_Comm made = MPI_COMM_NULL;
    check(MPIX_Comm_shrink(comm.native(), &made), "MPIX_Comm_shrink");
    return owned<communicator>{made};
}

/// One attempt of recover(). @return what this rank says of it; sets what it has thrown
template <class Attempt>
int attempt_to_work(const communicator &comm, Attempt attempt, std::exception_ptr &thrown) {
    try {
        attempt();
        return attempt_may_go_on | attempt_done;
    } catch (const error &problem) {
        if (comes_of_failure(comm, problem))
            return attempt_may_go_on;
        thrown = std::current_exception();
    } catch (...) {
        thrown = std::current_exception();
    }
    return attempt_thrown;
}

} // namespace detail

/// Calls `work(comm, kept)` until it has returned at all ranks. If ranks die meanwhile the survivors leave
/// it by an exception, and it is called again with a communicator of them, and with what `kept` was at the
/// last kept.save(), the pieces of the dead now with other ranks. Collective. An exception that no death
/// explains ends all: it leaves recover(), and the other ranks throw MPI_ERR_OTHER. If a rank and the one
/// that had its copy die between two checkpoints, all throw MPIX_ERR_PROC_FAILED.
///
///     lisle::checkpoint<rows> kept{my_rows};
///     auto left = lisle::recover(world, kept, [&](const lisle::communicator &comm, auto &kept) {
///         while (kept.pieces.front().step < steps) {
///             compute(comm, kept.pieces);
///             kept.save(comm);
///         }
///     });
///
/// @return a communicator of the ranks that are left
template <class Piece, class Work>
owned<communicator> recover(const communicator &comm, checkpoint<Piece> &kept, Work work) {
    owned<communicator> current = comm.dup();
    for (bool again = false;; again = true) {
        std::exception_ptr thrown;
        const char *hopeless = nullptr;
        const auto attempt = [&] {
            if (again)
                hopeless = kept.restore(current);
            else
                kept.save(current);
            if (hopeless == nullptr)
                work(std::as_const(static_cast<communicator &>(current)), kept);
        };
        int said = detail::attempt_to_work(current, attempt, thrown);
        if ((said & detail::attempt_done) == 0)
            MPIX_Comm_revoke(current.native()); // the others may wait for this rank
        const int code = MPIX_Comm_agree(current.native(), &said);
        if (thrown)
            std::rethrow_exception(thrown);
        if (hopeless != nullptr)
            detail::raise(MPIX_ERR_PROC_FAILED, "lisle::recover", {}, hopeless);
        if ((said & detail::attempt_may_go_on) == 0)
            detail::raise(MPI_ERR_OTHER, "lisle::recover", {}, "another rank has thrown an exception");
        if (code == MPI_SUCCESS && (said & detail::attempt_done) != 0)
            return current;
        current = detail::survivors(current);
    }
}

} // namespace lisle
