// SPDX-License-Identifier: Apache-2.0
#include "collective/board.hpp"

#include <algorithm>
#include <cstring>

#include "communicator/communicator.hpp"
#include "datatype/copy.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"

namespace lisle::collective {

namespace {

/// The fabric that carries everything among the members, or null if there are several.
fabric::fabric *common_fabric(job &job, const group &members) {
    fabric::fabric *const first = &job.fabric_to(members.member(0));
    for (int rank = 1; rank < members.size(); ++rank) {
        if (&job.fabric_to(members.member(rank)) != first) {
            return nullptr;
        }
    }
    return first;
}

std::shared_ptr<board> make_board(const communicator &comm) {
    const group &members = comm.local_group();
    job &job = this_rank().get_job();
    fabric::fabric *const medium = common_fabric(job, members);
    // Threads of a process that are ranks each have a context of their own.
    if (comm.inter() || comm.of_threads() || members.size() < 2 || medium == nullptr) {
        return nullptr;
    }
    std::byte *const memory = medium->block(comm.context(), board::bytes(members.size()));
    if (memory == nullptr) {
        medium->leave_block(comm.context(), members.size());
        return nullptr;
    }
    bool one_process = true;
    for (int rank = 0; rank < members.size() && one_process; ++rank) {
        one_process = job.here(members.member(rank));
    }
    return std::make_shared<board>(*medium, memory, comm.context(), members, comm.rank(), one_process);
}

} // namespace

board *board::of(const communicator &comm) {
    if (!comm.board_sought) {
        comm.shared_board = make_board(comm);
        comm.board_sought = true;
    }
    return comm.shared_board.get();
}

board::~board() {
    medium_.leave_block(key_, members_.size());
}

bool board::may_enter(std::uint64_t number) noexcept {
    if (turn_.load(std::memory_order_acquire) != number) {
        return false;
    }
    // Asked for early, since it takes a while if others have read the slot.
    __builtin_prefetch(&slot_of(self_, number), 1);
    if (number >= all_finished_ + depth) {
        std::uint64_t least = UINT64_MAX;
        for (int member = 0; member < members_.size(); ++member) {
            least = std::min(least, station_of(member).finished.load(std::memory_order_seq_cst));
        }
        all_finished_ = least;
    }
    return number < all_finished_ + depth;
}

void board::post(std::uint64_t number, const typed_buffer &data) {
    const auto bytes = static_cast<std::size_t>(data.bytes());
    std::byte *const to = slot_of(self_, number).bytes;
    if (data.type->contiguous()) [[likely]] {
        if (bytes != 0) {
            std::memcpy(to, data.address, bytes);
        }
    } else {
        pack(data, 0, {to, bytes});
    }
    publish(number, bytes);
}

void board::post(std::uint64_t number, const card &shown) {
    std::memcpy(slot_of(self_, number).bytes, &shown, sizeof shown);
    publish(number, sizeof shown);
}

void board::publish(std::uint64_t number, std::size_t bytes) noexcept {
    slot_of(self_, number).posted.store((number + 1) << size_bits | bytes, std::memory_order_seq_cst);
    nudge_all();
}

std::span<const std::byte> board::data(std::uint64_t number, int peer) const noexcept {
    const slot &at = slot_of(peer, number);
    // Relaxed: the caller has seen the post. The size is a peer's word: it counts up to what there is.
    const std::uint64_t word = at.posted.load(std::memory_order_relaxed);
    const auto bytes = static_cast<std::size_t>(word & ((1U << size_bits) - 1));
    return {at.bytes, std::min<std::size_t>(bytes, most_bytes)};
}

card board::card_of(std::uint64_t number, int peer) const noexcept {
    card shown;
    std::memcpy(static_cast<void *>(&shown), slot_of(peer, number).bytes, sizeof shown);
    return shown;
}

void board::note_all_posted(std::uint64_t number) noexcept {
    all_finished_ = std::max(all_finished_, number);
}

void board::finish(std::uint64_t number, bool awaited) noexcept {
    auto &finished = station_of(self_).finished;
    // Who wants to enter waits for free slots, several operations later: it is enough to tell now and then.
    if (awaited || (number + 1) % (depth / 2) == 0) {
        finished.store(number + 1, std::memory_order_seq_cst);
        nudge_all();
    } else {
        finished.store(number + 1, std::memory_order_release);
    }
    turn_.store(number + 1, std::memory_order_release);
}

void board::nudge_all() noexcept {
    for (int member = 0; member < members_.size(); ++member) {
        if (member != self_) {
            medium_.nudge(members_.member(member));
        }
    }
}

} // namespace lisle::collective
