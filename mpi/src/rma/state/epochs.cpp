// SPDX-License-Identifier: Apache-2.0
#include "rma/state/epochs.hpp"

#include <algorithm>
#include <mutex>

#include "base/checks.hpp"
#include "base/error.hpp"
#include "base/thread_order.hpp"
#include "mpi.h"

namespace lisle::rma {

int access_epoch::shown(int open) noexcept {
    return checks(check_level::cheap) || thread_order::told() ? listed : open;
}

bool access_epoch::allows_further(int target) noexcept {
    const int open = open_.load(std::memory_order_relaxed);
    if (open == fenced) {
        open_.store(shown(everyone), std::memory_order_relaxed);
        return true;
    }
    // Since this thread's load another one may have begun the epoch of the fence.
    if (open != listed) {
        return open == everyone || open == target;
    }
    const std::scoped_lock guard{mutex_};
    return now_ == kind::fences || now_ == kind::lock_all || std::ranges::binary_search(started_, target) ||
           std::ranges::any_of(held_, [target](const held_lock &held) { return held.target == target; });
}

void access_epoch::check_none_locked(const char *call) const {
    switch (now_) {
    case kind::started:
        fail(MPI_ERR_RMA_SYNC, call,
             " although the epoch that MPI_Win_start began is open: call MPI_Win_complete first");
    case kind::locks:
        fail(MPI_ERR_RMA_SYNC, call, " although target ", held_.front().target,
             " is locked: call MPI_Win_unlock first");
    case kind::lock_all:
        fail(MPI_ERR_RMA_SYNC, call, " although all targets are locked: call MPI_Win_unlock_all first");
    case kind::fences:
    case kind::none:
        return;
    }
}

void access_epoch::check_fence() {
    const std::scoped_lock guard{mutex_};
    check_none_locked("a fence");
}

void access_epoch::fence(bool goes_on) {
    const std::scoped_lock guard{mutex_};
    now_ = goes_on ? kind::fences : kind::none;
    open_.store(goes_on ? fenced : nobody, std::memory_order_relaxed);
}

bool access_epoch::has_used_fence() const {
    const std::scoped_lock guard{mutex_};
    return has_used_fence_locked();
}

bool access_epoch::has_used_fence_locked() const noexcept {
    return now_ == kind::fences && open_.load(std::memory_order_relaxed) != fenced;
}

void access_epoch::check_unused_fence_locked(const char *call) const {
    if (has_used_fence_locked()) {
        fail(MPI_ERR_RMA_SYNC, call,
             " in an epoch between fences that has accessed targets: end it with MPI_Win_fence");
    }
}

void access_epoch::check_start() {
    const std::scoped_lock guard{mutex_};
    check_none_locked("an epoch is started");
    check_unused_fence_locked("an epoch is started");
}

void access_epoch::start(std::vector<int> targets) {
    std::ranges::sort(targets);
    const std::scoped_lock guard{mutex_};
    now_ = kind::started;
    started_ = std::move(targets);
    open_.store(started_.size() == 1 ? shown(started_.front()) : listed, std::memory_order_relaxed);
}

std::vector<int> access_epoch::complete() {
    const std::scoped_lock guard{mutex_};
    if (now_ != kind::started) {
        fail(MPI_ERR_RMA_SYNC, "no epoch is open that MPI_Win_start began");
    }
    now_ = kind::none;
    open_.store(nobody, std::memory_order_relaxed);
    return std::move(started_);
}

std::list<held_lock> access_epoch::expect_lock(const held_lock &wanted) {
    std::list<held_lock> expected{wanted};
    const std::scoped_lock guard{mutex_};
    if (now_ == kind::locks) {
        if (std::ranges::find(held_, wanted.target, &held_lock::target) != held_.end()) {
            fail(MPI_ERR_RMA_SYNC, "target ", wanted.target, " is locked already");
        }
        return expected;
    }
    check_none_locked("a lock is taken");
    check_unused_fence_locked("a lock is taken");
    return expected;
}

void access_epoch::show_passive(int open) noexcept {
    open_.store(open, std::memory_order_relaxed);
    passive_.store(open, std::memory_order_relaxed);
}

void access_epoch::show_locks_locked() noexcept {
    const bool sole = held_.size() == 1;
    show_passive(sole ? shown(held_.front().target) : listed);
    excluded_.store(sole && held_.front().kind == lock_word::kind::exclusive && held_.front().taken
                        ? held_.front().target
                        : nobody,
                    std::memory_order_relaxed);
}

void access_epoch::lock(std::list<held_lock> &&expected) noexcept {
    const std::scoped_lock guard{mutex_};
    now_ = kind::locks;
    held_.splice(held_.end(), std::move(expected));
    show_locks_locked();
}

held_lock access_epoch::locked(int target) {
    const std::scoped_lock guard{mutex_};
    const auto found = std::ranges::find(held_, target, &held_lock::target);
    if (now_ != kind::locks || found == held_.end()) {
        fail(MPI_ERR_RMA_SYNC, "target ", target, " is not locked");
    }
    return *found;
}

void access_epoch::forget(int target) {
    const std::scoped_lock guard{mutex_};
    std::erase_if(held_, [target](const held_lock &held) { return held.target == target; });
    if (!held_.empty()) {
        show_locks_locked();
        return;
    }
    now_ = kind::none;
    show_passive(nobody);
    excluded_.store(nobody, std::memory_order_relaxed);
}

void access_epoch::check_lock_all() {
    const std::scoped_lock guard{mutex_};
    check_none_locked("all targets are locked");
    check_unused_fence_locked("all targets are locked");
}

void access_epoch::lock_all(bool taken) {
    const std::scoped_lock guard{mutex_};
    now_ = kind::lock_all;
    all_taken_ = taken;
    show_passive(shown(everyone));
}

bool access_epoch::unlock_all() {
    const std::scoped_lock guard{mutex_};
    if (now_ != kind::lock_all) {
        fail(MPI_ERR_RMA_SYNC, "the targets have not been locked with MPI_Win_lock_all");
    }
    now_ = kind::none;
    show_passive(nobody);
    return all_taken_;
}

void access_epoch::check_passive_further(int target) {
    const std::scoped_lock guard{mutex_};
    if (now_ == kind::lock_all) {
        return;
    }
    if (now_ != kind::locks) {
        fail(MPI_ERR_RMA_SYNC, "no target is locked");
    }
    if (target >= 0 &&
        std::ranges::none_of(held_, [target](const held_lock &held) { return held.target == target; })) {
        fail(MPI_ERR_RMA_SYNC, "target ", target, " is not locked");
    }
}

void access_epoch::end() {
    const std::scoped_lock guard{mutex_};
    now_ = kind::none;
    started_.clear();
    held_.clear();
    show_passive(nobody);
}

void access_epoch::check_over() {
    const std::scoped_lock guard{mutex_};
    check_none_locked("the window is freed");
}

} // namespace lisle::rma
