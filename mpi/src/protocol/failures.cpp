// SPDX-License-Identifier: Apache-2.0
#include "protocol/failures.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "mpi.h"
#include "protocol/engine.hpp"

namespace lisle::protocol {

namespace {

constexpr std::uint8_t revocation_kind = first_module_kind;

const packet_kind_of_module revocation{revocation_kind, [](engine &home, const arrival &packet) {
                                           home.failures().revoke_locked(base_of(packet.what.context));
                                       }};

} // namespace

// ---- what is known ----

bool failures::can_watch() const noexcept {
    return !core_.polled.empty() || core_.self.job.size() == 1;
}

void failures::watch(std::uint64_t base, std::vector<int> members) {
    if (can_watch()) {
        const std::scoped_lock guard{core_};
        if (known_.watch(base, std::move(members))) {
            revoke_locked(base);
        }
    }
}

void failures::forget(std::uint64_t base) noexcept {
    if (can_watch()) {
        const std::scoped_lock guard{core_.bare_lock()};
        known_.forget(base);
    }
}

std::vector<int> failures::failed_members(std::uint64_t base) {
    const std::scoped_lock guard{core_.bare_lock()};
    const auto *const one = known_.find(base);
    return one == nullptr ? std::vector<int>{} : one->failed;
}

std::vector<int> failures::silent_members(std::uint64_t base) {
    const std::scoped_lock guard{core_.bare_lock()};
    const auto *const one = known_.find(base);
    std::vector<int> silent;
    if (one != nullptr) {
        std::ranges::copy_if(one->failed, std::back_inserter(silent),
                             [this](int peer) { return known_.has_failed(peer); });
    }
    return silent;
}

std::size_t failures::acknowledge(std::uint64_t base, std::size_t count) {
    const std::scoped_lock guard{core_.bare_lock()};
    auto *const one = known_.find(base);
    if (one == nullptr) {
        return 0;
    }
    one->acknowledged = std::max(one->acknowledged, std::min(count, one->failed.size()));
    return one->acknowledged;
}

bool failures::failed(int peer) {
    const std::scoped_lock guard{core_.bare_lock()};
    return known_.has_failed(peer);
}

void failures::hear_of_failure(int peer) {
    const std::scoped_lock guard{core_};
    if (known_.note_reported_failure(peer)) {
        act_locked();
    }
}

bool failures::revoked(std::uint64_t base) {
    const std::scoped_lock guard{core_.bare_lock()};
    const auto *const one = known_.find(base);
    return one != nullptr && one->revoked;
}

int failures::error_of(std::uint64_t context, int peer) {
    const std::scoped_lock guard{core_.bare_lock()};
    return known_.error_of(context, peer);
}

void throw_failure(int error, int peer) {
    if (error == MPIX_ERR_REVOKED) {
        fail(error, "the communicator has been revoked (MPIX_Comm_revoke)");
    }
    if (peer < 0) {
        fail(MPIX_ERR_PROC_FAILED, "a rank of the communicator has failed, and may be one that is needed");
    }
    fail(MPIX_ERR_PROC_FAILED, "rank ", peer, " of the job has failed");
}

void failures::refuse_revoked(std::uint64_t context) {
    if (const int error = error_without_peer(context); error != MPI_SUCCESS) {
        throw_failure(error, MPI_PROC_NULL);
    }
}

// ---- what becomes of operations ----

void failures::act_locked() noexcept {
    try {
        try_to_act_locked();
    } catch (const std::bad_alloc &) {
        if (!std::exchange(is_unfinished_, true)) {
            core_.self.home->mover().watch_locked(*this);
        }
    }
}

bool failures::look_locked(engine & /*home*/, bool &any) noexcept {
    try {
        try_to_act_locked();
        any = true;
        is_unfinished_ = false;
    } catch (const std::bad_alloc &) {
    }
    return is_unfinished_;
}

void failures::try_to_act_locked() {
    end_operations_locked();
    tell_revocations_locked();
}

void failures::end_operations_locked() {
    engine &home = *core_.self.home;
    matching &receives = home.receives();
    receives.enter_started_locked();
    home.sends().end_failed_locked();
    home.transfers().end_failed_locked();
    pending_work *ended = receives.tables().posted_where([this](const receive_operation &each) {
        return known_.error_of(each.pattern.context, each.from) != MPI_SUCCESS;
    });
    while (ended != nullptr) {
        // Read on first: what follows gives the object away.
        auto &posted = static_cast<receive_operation &>(*std::exchange(ended, ended->next));
        if (!receives.withdraw_locked(posted)) {
            continue; // its sender lives, writes to its buffer, and ends it
        }
        posted.result.source = posted.pattern.source;
        core_.fail_locked(posted, known_.error_of(posted.pattern.context, posted.from));
    }
    core_.note_news_locked();
}

void failures::peer_failed_locked(int peer) {
    if (!known_.has_failed(peer)) {
        active_messages::tell_failure(*core_.self.home, peer);
        known_.note_failure(peer); // last of what may throw: then the fabric tells it again
        act_locked();
        core_.note_news_locked(); // for those who wait for something else of that peer
    }
}

void failures::revoke(std::uint64_t base) {
    const std::scoped_lock guard{core_};
    revoke_locked(base);
}

void failures::revoke_locked(std::uint64_t base) {
    if (known_.note_revocation(base)) {
        act_locked();
    }
}

// Everybody tells everybody: the first one may fail before it has told all.
void failures::tell_revocations_locked() {
    known_.tell_revocations([this](std::uint64_t base, int member) {
        if (member != core_.self.number && !known_.has_failed(member)) {
            core_.self.home->out().send_control_locked(member, {base, 0, 0, revocation_kind, 0, 0, 0});
        }
    });
}

} // namespace lisle::protocol
