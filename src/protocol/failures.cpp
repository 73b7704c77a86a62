// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>

#include "base/error.hpp"
#include "mpi.h"
#include "protocol/engine.hpp"

namespace lisle::protocol {

namespace {

constexpr std::uint8_t revocation_kind = first_module_kind;

constexpr std::uint64_t base_of(std::uint64_t context) noexcept {
    return context - context % contexts_in_a_row;
}

} // namespace

const packet_kind_of_module failures::revocation{revocation_kind, arrived_revocation};

void engine::peer_failed(int peer) {
    failures_.peer_failed_locked(peer);
}

// ---- what is known ----

bool failures::can_watch() const noexcept {
    return !home_.others_.empty() || home_.job_.size() == 1;
}

void failures::watch(std::uint64_t base, std::vector<int> members) {
    if (!can_watch()) {
        return;
    }
    std::unique_lock guard{home_.lock_};
    watched made;
    made.members = std::move(members);
    for (const int peer : failed_) {
        if (std::ranges::find(made.members, peer) != made.members.end()) {
            made.failed.push_back(peer);
        }
    }
    watched_.insert_or_assign(base, std::move(made));
    if (revoked_early_.erase(base) != 0) {
        revoke_locked(base);
    }
    guard.release(); // unlocked by the following
    home_.unlock_and_follow_up();
}

void failures::forget(std::uint64_t base) noexcept {
    if (can_watch()) {
        const std::scoped_lock guard{home_.lock_};
        watched_.erase(base);
    }
}

std::vector<int> failures::failed_members(std::uint64_t base) {
    const std::scoped_lock guard{home_.lock_};
    const auto found = watched_.find(base);
    return found == watched_.end() ? std::vector<int>{} : found->second.failed;
}

std::size_t failures::acknowledge(std::uint64_t base, std::size_t count) {
    const std::scoped_lock guard{home_.lock_};
    const auto found = watched_.find(base);
    if (found == watched_.end()) {
        return 0;
    }
    watched &communicator = found->second;
    communicator.acknowledged =
        std::max(communicator.acknowledged, std::min(count, communicator.failed.size()));
    return communicator.acknowledged;
}

std::size_t failures::acknowledged(std::uint64_t base) {
    return acknowledge(base, 0);
}

bool failures::failed(int peer) {
    const std::scoped_lock guard{home_.lock_};
    return failed_locked(peer);
}

bool failures::failed_locked(int peer) const noexcept {
    return !failed_.empty() && std::ranges::find(failed_, peer) != failed_.end();
}

bool failures::revoked(std::uint64_t base) {
    const std::scoped_lock guard{home_.lock_};
    const auto found = watched_.find(base);
    return found != watched_.end() && found->second.revoked;
}

void throw_failure(int error, int peer) {
    if (error == MPIX_ERR_REVOKED) {
        fail(error, "the communicator has been revoked (MPIX_Comm_revoke)");
    }
    fail(MPIX_ERR_PROC_FAILED, "rank ", peer, " of the job has failed");
}

void failures::refuse_revoked(std::uint64_t context) {
    if (const int error = error_without_peer(context); error != MPI_SUCCESS) {
        throw_failure(error, MPI_PROC_NULL);
    }
}

int failures::error_if_revoked(std::uint64_t context) {
    return revoked(base_of(context)) ? MPIX_ERR_REVOKED : MPI_SUCCESS;
}

int failures::error_of(std::uint64_t context, int peer) {
    const std::scoped_lock guard{home_.lock_};
    return error_locked(context, peer);
}

int failures::error_locked(std::uint64_t context, int peer) const noexcept {
    if (!any()) {
        return MPI_SUCCESS;
    }
    const auto found = watched_.find(base_of(context));
    const std::uint64_t distance = context % contexts_in_a_row;
    const bool recovers = distance == recovery_context;
    if (found != watched_.end() && !recovers) {
        const watched &communicator = found->second;
        if (communicator.revoked) {
            return MPIX_ERR_REVOKED;
        }
        const bool common = distance >= first_common_context && distance <= last_common_context;
        const std::size_t tolerated = common ? 0 : communicator.acknowledged;
        if ((common || peer < 0) && communicator.failed.size() > tolerated) {
            return MPIX_ERR_PROC_FAILED;
        }
    }
    return failed_locked(peer) ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
}

// ---- what becomes of operations ----

void failures::fail_locked(request &failed, int error) {
    failed.result.error = error;
    failed.result.bytes = 0;
    home_.complete_locked(failed);
}

// Memory that a living peer may be reading stays readable until the peer says that it has not begun, or has
// done: a read that is refused would look like the failure of the memory's owner.
bool failures::is_recalled_locked(send_operation &send) {
    if (!send.exposed || failed_locked(send.dest)) {
        return false;
    }
    if (!std::exchange(send.recalled, true)) {
        home_.recall_locked(send);
    }
    return true;
}

void failures::end_operations_locked() {
    engine &home = home_;
    home.enter_started_locked();
    const auto is_over = [this](const send_operation *send) {
        return error_locked(send->context, send->dest) != MPI_SUCCESS;
    };
    home.outbox_.serve_streams([&](int, auto &queue) { std::erase_if(queue, is_over); });
    home.outbox_.serve_packets([this](int peer, auto &queue) {
        if (failed_locked(peer)) {
            queue.clear();
        }
    });
    home.outbox_.note_failure();
    home.sends_.each([&](std::uint64_t id, send_operation &send) {
        const int error = error_locked(send.context, send.dest);
        if (error != MPI_SUCCESS && !is_recalled_locked(send)) {
            home.sends_.erase(id);
            home.withdraw_buffer(send);
            fail_locked(send, error);
        }
    });
    home.receives_.each([&](std::uint64_t id, receive_operation &receive) {
        if (const int error = error_locked(receive.pattern.context, receive.sender.peer);
            error != MPI_SUCCESS) {
            home.receives_.erase(id);
            fail_locked(receive, error);
        }
    });
    for (receive_operation *const posted : home.matcher_.posted_where([this](const receive_operation &each) {
             return error_locked(each.pattern.context, each.from) != MPI_SUCCESS;
         })) {
        home.matcher_.withdraw(*posted);
        posted->result.source = posted->pattern.source;
        fail_locked(*posted, error_locked(posted->pattern.context, posted->from));
    }
    home.note_news_locked();
}

void failures::peer_failed_locked(int peer) {
    if (failed_locked(peer)) {
        return;
    }
    failed_.push_back(peer);
    for (auto &[base, communicator] : watched_) {
        if (std::ranges::find(communicator.members, peer) != communicator.members.end()) {
            communicator.failed.push_back(peer);
        }
    }
    any_.store(true, std::memory_order_relaxed);
    end_operations_locked();
    active_messages::tell_failure(home_, peer);
    home_.note_news_locked(); // for those who wait for something else of that peer
}

// ---- revocation ----

void failures::revoke(std::uint64_t base) {
    home_.lock_.lock();
    revoke_locked(base);
    home_.unlock_and_follow_up();
}

void failures::revoke_locked(std::uint64_t base) {
    const auto found = watched_.find(base);
    if (found == watched_.end()) {
        revoked_early_.insert(base);
        return;
    }
    if (!std::exchange(found->second.revoked, true)) {
        any_.store(true, std::memory_order_relaxed);
        end_operations_locked();
        // Everybody tells everybody: the first one may fail before it has told all.
        spread_locked(base, found->second);
    }
}

void failures::spread_locked(std::uint64_t base, const watched &communicator) {
    for (const int member : communicator.members) {
        if (member != home_.number_ && !failed_locked(member)) {
            home_.send_control_locked(member, {base, 0, 0, revocation_kind, 0, 0, 0}, nullptr, 0);
        }
    }
}

void failures::arrived_revocation(engine &home, const arrival &packet) {
    home.failures_.revoke_locked(base_of(packet.what.context));
}

} // namespace lisle::protocol
