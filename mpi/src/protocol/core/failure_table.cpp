// SPDX-License-Identifier: Apache-2.0
#include "protocol/core/failure_table.hpp"

#include <algorithm>
#include <utility>

#include "mpi.h"

namespace lisle::protocol {

namespace {

bool contains(const std::vector<int> &peers, int wanted) noexcept {
    return std::ranges::find(peers, wanted) != peers.end();
}

} // namespace

int failure_table::error_of(std::uint64_t context, int peer) const noexcept {
    if (!any()) {
        return MPI_SUCCESS;
    }
    const auto found = watched_.find(base_of(context));
    const std::uint64_t distance = context % contexts_in_a_row;
    if (found != watched_.end() && distance != recovery_context) {
        const communicator &one = found->second;
        if (one.revoked) {
            return MPIX_ERR_REVOKED;
        }
        const bool common = distance >= first_common_context && distance <= last_common_context;
        const std::size_t tolerated = common ? 0 : one.acknowledged;
        if ((common || peer < 0) && one.failed.size() > tolerated) {
            return MPIX_ERR_PROC_FAILED;
        }
    }
    return has_failed(peer) ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
}

bool failure_table::has_failed(int peer) const noexcept {
    return !silent_.empty() && contains(silent_, peer);
}

bool failure_table::watch(std::uint64_t base, std::vector<int> members) {
    communicator made;
    made.members = std::move(members);
    std::ranges::copy_if(failed_, std::back_inserter(made.failed),
                         [&made](int peer) { return contains(made.members, peer); });
    watched_.insert_or_assign(base, std::move(made));
    return revoked_early_.erase(base) != 0;
}

void failure_table::note_failure(int peer) {
    silent_.reserve(silent_.size() + 1);
    static_cast<void>(note_reported_failure(peer));
    if (!has_failed(peer)) {
        silent_.push_back(peer);
    }
}

bool failure_table::note_reported_failure(int peer) {
    if (contains(failed_, peer)) {
        return false;
    }
    failed_.reserve(failed_.size() + 1);
    for (auto &[base, one] : watched_) {
        if (contains(one.members, peer)) {
            one.failed.reserve(one.failed.size() + 1);
        }
    }
    failed_.push_back(peer);
    for (auto &[base, one] : watched_) {
        if (contains(one.members, peer)) {
            one.failed.push_back(peer);
        }
    }
    any_.store(true, std::memory_order_relaxed);
    return true;
}

bool failure_table::note_revocation(std::uint64_t base) {
    communicator *const one = find(base);
    if (one == nullptr) {
        revoked_early_.insert(base);
        return false;
    }
    any_.store(true, std::memory_order_relaxed);
    return !std::exchange(one->revoked, true);
}

} // namespace lisle::protocol
