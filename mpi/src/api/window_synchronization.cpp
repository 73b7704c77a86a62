// SPDX-License-Identifier: Apache-2.0
// From the synchronisation calls of MPI to epochs.
#include <vector>

#include "api/explored.hpp"
#include "api/pending_buffers.hpp"
#include "api/window.hpp"
#include "base/error.hpp"
#include "rma/races/watch.hpp"
#include "rma/synchronization.hpp"

namespace lisle::api {

namespace {

void check_assertion(int assertion) {
    constexpr int all =
        MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
    if ((assertion & ~all) != 0) {
        fail(MPI_ERR_ASSERT, "the assertion is ", assertion,
             ", which has bits that no MPI_MODE_ constant has");
    }
}

/// The ranks in the window of a group's members.
std::vector<int> ranks_of(const rma::window &win, const group &members) {
    std::vector<int> ranks;
    for (int i = 0; i < members.size(); ++i) {
        ranks.push_back(win.comm().local_group().rank_of(members.member(i)));
        if (ranks.back() == MPI_UNDEFINED) {
            fail(MPI_ERR_GROUP, "member ", i, " of the group is no rank of the window");
        }
    }
    return ranks;
}

/// A target that means nothing, so that the call has nothing to do.
bool is_nobody(int rank) noexcept {
    return rank == MPI_PROC_NULL;
}

void note_lock(const rma::window &win) {
    if (abi::pending_buffers::watched()) {
        abi::pending->windows.locks(win);
    }
}

} // namespace

void win_complete(rma::window &win) {
    rma::complete(win);
}

void win_fence(int assertion, rma::window &win) {
    check_assertion(assertion);
    if (abi::pending_buffers::watched()) {
        abi::pending->windows.fences(win, (assertion & MPI_MODE_NOPRECEDE) == 0,
                                     (assertion & MPI_MODE_NOSUCCEED) == 0);
    }
    rma::fence(win, assertion);
    const bool goes_on = (assertion & MPI_MODE_NOSUCCEED) == 0;
    if (goes_on && (assertion & MPI_MODE_NOPUT) != 0 && rma::race_watch::watched()) [[unlikely]] {
        const abi::call_place place = abi::current_call();
        rma::race_watch::forbids_puts(win.members,
                                      {std::string{place.call}, place.site.file, place.site.offsets});
    }
}

void win_flush(int rank, rma::window &win) {
    if (!is_nobody(rank)) {
        win.access.check_passive(rank);
        rma::flush(win, rank);
    }
}
void win_flush_all(rma::window &win) {
    win.access.check_passive(-1);
    rma::flush(win, -1);
}
void win_flush_local(int rank, rma::window &win) {
    if (!is_nobody(rank)) {
        win.access.check_passive(rank);
        rma::flush_local(win, rank);
    }
}
void win_flush_local_all(rma::window &win) {
    win.access.check_passive(-1);
    rma::flush_local(win, -1);
}

void win_lock(int lock_type, int rank, int assertion, rma::window &win) {
    check_assertion(assertion);
    if (lock_type != MPI_LOCK_EXCLUSIVE && lock_type != MPI_LOCK_SHARED) {
        fail(MPI_ERR_LOCKTYPE, "lock_type is ", lock_type,
             "; it must be MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED");
    }
    if (win.hints.holds("no_locks")) {
        fail(MPI_ERR_RMA_SYNC, "the window was made with the hint no_locks");
    }
    if (!is_nobody(rank)) {
        note_lock(win);
        using kind = rma::lock_word::kind;
        if (explored() != nullptr && lock_type == MPI_LOCK_EXCLUSIVE) [[unlikely]] {
            await_lock(win, rank);
        }
        rma::lock(win, rank, lock_type == MPI_LOCK_EXCLUSIVE ? kind::exclusive : kind::shared, assertion);
    }
}

void win_lock_all(int assertion, rma::window &win) {
    check_assertion(assertion);
    note_lock(win);
    rma::lock_all(win, assertion);
}

void win_post(const group &group, int assertion, rma::window &win) {
    check_assertion(assertion);
    rma::post(win, ranks_of(win, group), assertion);
}

void win_start(const group &group, int assertion, rma::window &win) {
    check_assertion(assertion);
    rma::start(win, ranks_of(win, group), assertion);
}

void win_sync(rma::window &win) {
    rma::sync(win);
}

void win_test(rma::window &win, int *flag) {
    *flag = rma::test(win) ? 1 : 0;
}

void win_unlock(int rank, rma::window &win) {
    if (!is_nobody(rank)) {
        rma::unlock(win, rank);
        if (explored() != nullptr) [[unlikely]] {
            end_turn(win, rank);
        }
    }
}

void win_unlock_all(rma::window &win) {
    rma::unlock_all(win);
}

void win_wait(rma::window &win) {
    rma::wait(win);
}

} // namespace lisle::api
